// intake.tsx - a box to paste into, and what the pasted text set.
import {useId, useState} from 'preact/hooks';
import {problemFrom, type Problem} from '../../app/api';
import {argumentOf, givenOf} from '../../app/plan-query';
import {isLost, isPasted} from '../../app/plan-question';
import {Sheet} from '../../ui/sheet';
import {planPasted, type Pasted} from './paste';
import {Faults} from './verdict';
import {sentence} from './words';

interface IntakeProps {
    readonly query: URLSearchParams;
    readonly onPasted: (pasted: Pasted) => void;
    readonly onClose: () => void;
}

const EXAMPLE = 'vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor-parallel-size 4 --quantization fp8';

export function Intake({query, onPasted, onClose}: IntakeProps)
{
    const id = useId();
    const [text, setText] = useState('');
    const [problem, setProblem] = useState<Problem | null>(null);
    const [waiting, setWaiting] = useState(false);
    const plan = async () => {
        setWaiting(true);
        try {
            onPasted(await planPasted(text, query));
        } catch (error) {
            setProblem(problemFrom(error));
        }
        setWaiting(false);
    };
    return (
        <Sheet title="Paste a deployment" onClose={onClose}>
            <form onSubmit={(event) => {
                event.preventDefault();
                if (text.trim() && !waiting)
                    void plan();
            }}>
                <div class="field">
                    <label for={id}>
                        A command line, a Kubernetes, KServe or compose manifest, a config.json, an engine's log, or a
                        request of the API. What it does not say comes from the fields.
                    </label>
                    <textarea id={id} rows={14} value={text} placeholder={EXAMPLE} spellcheck={false}
                        onInput={(event) => setText(event.currentTarget.value)} />
                </div>
                <p><button type="submit" class="main" disabled={waiting}>Plan it</button></p>
                {problem && <Faults problem={problem} />}
            </form>
        </Sheet>
    );
}

/** Where an address names a model that was pasted elsewhere. */
export function LostNote({query}: {query: URLSearchParams})
{
    return isLost(query) ? (
        <p class="card" role="alert">The model of this address was pasted into another browser tab and stayed there: paste it
            here again.</p>
    ) : null;
}

/** What the text set, what it said in vain, what was lent. */
export function PastedNote({pasted, onClose}: {pasted: Pasted; onClose: () => void})
{
    const {plan, lent, query} = pasted;
    return (
        <section class="card pasted" aria-labelledby="pasted-title">
            <header>
                <h2 id="pasted-title">From the pasted text</h2>
                <button type="button" class="quiet" onClick={onClose}>Dismiss</button>
            </header>
            <dl class="pairs">
                {givenOf(plan.request, plan.assumed).map(([pointer, value]) => (
                    <div key={pointer}>
                        <dt class="mono">{argumentOf(pointer)}</dt>
                        <dd>{value.startsWith('{') ? 'as pasted' : value}
                            {lent.includes(argumentOf(pointer)) && <span class="soft"> from the fields</span>}</dd>
                    </div>
                ))}
            </dl>
            {plan.ignored_flags.length > 0 && (
                <p>Without effect here: {plan.ignored_flags.map((flag, i) => (
                    <span key={flag}>{i > 0 && ' '}<code>{flag}</code></span>
                ))}</p>
            )}
            {plan.warnings.map((warning) => <p key={warning.detail} class="doubt">{sentence(warning.detail)}</p>)}
            {isPasted(query.get('model') ?? '') && (
                <p class="doubt">The model stays in this browser tab: a link to this plan does not carry it.</p>
            )}
        </section>
    );
}
