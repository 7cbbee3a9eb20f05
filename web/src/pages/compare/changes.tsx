// changes.tsx - which settings differ, and which of them nobody gave.
import type {InputChange} from '../../app/compare';
import {Scroll} from '../../ui/scroll';

function Value({value, assumed}: {value: unknown; assumed: boolean})
{
    const text = value === null || value === undefined ? 'none' : typeof value === 'object' ? JSON.stringify(value) : String(value);
    return <td class="wide">{text}{assumed && <span class="soft"> default</span>}</td>;
}

export function Changes({changes}: {changes: readonly InputChange[]})
{
    return (
        <section class="card" aria-labelledby="changes">
            <h2 id="changes">{changes.length === 0 ? 'Nothing differs yet' : 'What differs'}</h2>
            {changes.length === 0 ? <p class="soft">Open the candidate’s settings and change one.</p> : (
                <Scroll label="What differs">
                    <table>
                        <thead><tr><th scope="col">Setting</th><th scope="col">Baseline</th><th scope="col">Candidate</th></tr></thead>
                        <tbody>{changes.map((change) => (
                            <tr key={change.pointer}>
                                <th scope="row"><code>{change.pointer}</code></th>
                                <Value value={change.baseline} assumed={change.baseline_assumed} />
                                <Value value={change.candidate} assumed={change.candidate_assumed} />
                            </tr>
                        ))}</tbody>
                    </table>
                </Scroll>
            )}
        </section>
    );
}
