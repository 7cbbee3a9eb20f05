// change-verdict.tsx - what the change does, in a sentence or two.
import type {Comparison, Moved, Pair} from '../../app/compare';
import {digits} from '../../app/figures';
import {Badge} from '../../ui/badge';

/** A change of less than this is none that anybody would notice. */
const NOTHING = 0.005;

function Change({what, pair}: {what: string; pair: Pair | undefined})
{
    if (!pair || pair.change === null)
        return <>{what}: no record</>;
    if (Math.abs(pair.change) < NOTHING)
        return <>{what} stays</>;
    return <>{what} {pair.change < 0 ? 'falls' : 'rises'} by <strong>{`${digits(Math.abs(pair.change) * 100, 2)}\u00a0%`}</strong></>;
}

const plain = (id: string) => id.replaceAll('_', ' ');

function Dominant({phase, moved}: {phase: string; moved: Moved})
{
    return moved.moved
        ? <>What dominates {phase} moves from <strong>{plain(moved.baseline)}</strong> to <strong>{plain(moved.candidate)}</strong>. </>
        : <>{plain(moved.candidate).charAt(0).toUpperCase() + plain(moved.candidate).slice(1)} dominates {phase} before and after. </>;
}

const VERDICTS = {
    pass: {tone: 'good', word: 'passes', rest: 'No check fails.'},
    fail: {tone: 'bad', word: 'fails', rest: 'At least one check fails.'},
    unknown: {tone: 'doubt', word: 'unknown', rest: 'Some checks cannot be decided.'},
} as const;

export function Verdict({comparison}: {comparison: Comparison})
{
    const {latency, throughput, decode, prefill, regime, verdict} = comparison;
    const {tone, word, rest} = VERDICTS[verdict];
    return (
        <section class="card compare-verdict" aria-live="polite" aria-label="Verdict">
            <p><Badge tone={tone}>{word}</Badge> {rest}{' '}
                <Change what="Time per output token" pair={latency.tpot_ms} />, <Change what="time to first token" pair={latency.ttft_ms} />,{' '}
                <Change what="output" pair={throughput.output_tok_s} />.</p>
            <p><Dominant phase="decode" moved={decode.dominant} /><Dominant phase="prefill" moved={prefill.dominant} />
                {regime.moved ? <>The regime changes from <strong>{plain(regime.baseline)}</strong> to{' '}
                    <strong>{plain(regime.candidate)}</strong>.</> : <>The regime stays {plain(regime.candidate)}.</>}</p>
        </section>
    );
}
