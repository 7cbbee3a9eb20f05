// profile-answer.tsx - all that is said of a profile: what it is, where its time went, what nothing explains.
import type {Attribution, ComparedRun} from '../../app/attribution';
import {figure} from '../../app/figures';
import {Scroll} from '../../ui/scroll';
import {ClassBars} from './bars';
import {Found} from './found';
import {Names} from './kernels';
import {Parts} from './parts';
import {SpanBar} from './span';

function Runs({runs}: {runs: readonly ComparedRun[]})
{
    return (
        <section class="card" aria-labelledby="runs-title">
            <h2 id="runs-title">Runs in the file</h2>
            <Scroll label="Runs in the file">
                <table>
                    <thead><tr>
                        <th scope="col">Run</th><th scope="col" class="number">Wall time</th><th scope="col" class="number">Busy</th>
                        <th scope="col" class="number">Idle</th><th scope="col" class="number">Idle share</th>
                        <th scope="col" class="number">Launches</th><th scope="col" class="number">Idle per launch</th>
                    </tr></thead>
                    <tbody>{runs.map((row) => (
                        <tr key={row.run}>
                            <th scope="row">{row.run}</th><td class="number">{figure(row.span_us, 'us')}</td>
                            <td class="number">{figure(row.busy_us, 'us')}</td><td class="number">{figure(row.idle_us, 'us')}</td>
                            <td class="number">{figure(row.idle_share, 'share')}</td><td class="number">{figure(row.launches, 'tokens')}</td>
                            <td class="number">{figure(row.idle_us_per_launch, 'us')}</td>
                        </tr>
                    ))}</tbody>
                </table>
            </Scroll>
        </section>
    );
}

/** Names that no pattern knows: a gap of ours, said by name. */
function Unclassified({attribution}: {attribution: Attribution})
{
    if (attribution.unclassified.length === 0)
        return null;
    return (
        <section class="card" aria-labelledby="unclassified-title">
            <h2 id="unclassified-title">In no class: {figure(attribution.unclassified_share, 'share')}</h2>
            <p class="soft">Kernels whose names say nothing that is known. They are not forced into a class.</p>
            <Scroll label="Kernels in no class"><Names names={attribution.unclassified} /></Scroll>
        </section>
    );
}

export function Answer({attribution, stale}: {attribution: Attribution; stale: boolean})
{
    return (
        <div class={stale ? 'profile-parts stale' : 'profile-parts'}>
            <Found attribution={attribution} />
            {!attribution.refused && attribution.parts.length === 0 && attribution.runs.length === 0 && <SpanBar attribution={attribution} />}
            {attribution.shares.length > 0 && <ClassBars attribution={attribution} />}
            {attribution.parts.length > 0 && <Parts parts={attribution.parts} noBudget={attribution.budget.no_record} />}
            {attribution.runs.length > 0 && <Runs runs={attribution.runs} />}
            <Unclassified attribution={attribution} />
        </div>
    );
}
