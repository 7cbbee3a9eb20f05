// understood.tsx - what the answer rests on: speeds beside the budget, and what was read of fields and texts.
import type {Diagnosis, Expected, Reading, SeenQuantity} from '../../app/diagnosis';
import {digits, figure, type Unit} from '../../app/figures';
import type {Estimate} from '../../app/plan';
import {Basis} from '../../ui/badge';
import {Scroll} from '../../ui/scroll';
import {regimeWords, sentence} from '../plan/words';

/** Units by the ends of names, as the API names them. */
const UNITS: readonly (readonly [RegExp, (value: number) => string])[] = [
    [/_ms$/, (value) => figure(value, 'ms')],
    [/_bytes$/, (value) => figure(value, 'bytes')],
    [/(utilization|usage|_share|_rate|acceptance|_active|_fraction)(_m(ax|in))?$/, (value) => figure(value, 'share')],
    [/_w$/, (value) => `${digits(value)} W`],
    [/_mhz$/, (value) => `${digits(value, 4)} MHz`],
    [/_c$/, (value) => `${digits(value)} °C`],
    [/_s$/, (value) => digits(value)],
];

const shown = ({name, value}: SeenQuantity) => (UNITS.find(([end]) => end.test(name))?.[1] ?? digits)(value);

const SPEEDS: readonly {readonly name: keyof Expected & ('tpot_ms' | 'ttft_ms' | 'output_tok_s'); readonly title: string;
    readonly unit: Unit; readonly seen: readonly string[]}[] = [
    {name: 'tpot_ms', title: 'TPOT', unit: 'ms', seen: ['tpot_mean_ms', 'itl_mean_ms', 'tpot_p50_ms', 'itl_p50_ms']},
    {name: 'ttft_ms', title: 'TTFT', unit: 'ms', seen: ['ttft_mean_ms', 'ttft_p50_ms']},
    {name: 'output_tok_s', title: 'Output tok/s', unit: 'rate', seen: ['output_tok_s', 'output_tok_s_gauge']},
];

function rangeOf(estimate: Estimate, unit: Unit): string
{
    if (estimate.expected === null)
        return 'no record';
    return estimate.low !== null && estimate.high !== null
        ? `${figure(estimate.expected, unit)} (${figure(estimate.low, unit)} to ${figure(estimate.high, unit)})` : figure(estimate.expected, unit);
}

/** The speeds that were seen beside those that the planner expects. */
export function Beside({expected, quantities, concurrency}:
    {expected: Expected; quantities: readonly SeenQuantity[]; concurrency: string | null})
{
    return (
        <section class="card" aria-labelledby="beside-title">
            <h2 id="beside-title">Beside the budget</h2>
            <p class="soft">
                Planned for {concurrency ? `${concurrency} at once` : 'one request at a time, as no concurrency is given'}:{' '}
                {regimeWords(expected.regime)}, <span class="mono">{expected.dominant}</span> leads.
            </p>
            <Scroll label="Speeds beside the budget">
                <table>
                    <thead><tr><th scope="col">Speed</th><th scope="col" class="number">Seen</th><th scope="col" class="number">Expected</th>
                        <th scope="col" class="number">Seen / expected</th><th scope="col">Basis</th></tr></thead>
                    <tbody>{SPEEDS.map(({name, title, unit, seen}) => {
                        const found = seen.map((one) => quantities.find((row) => row.name === one)).find((row) => row !== undefined);
                        const value = (name === 'tpot_ms' ? expected.seen_tpot_ms : null) ?? found?.value;
                        const estimate = expected[name];
                        return (
                            <tr key={name}>
                                <th scope="row">{title}</th>
                                <td class="number">{figure(value, unit)}</td>
                                <td class="number">{rangeOf(estimate, unit)}</td>
                                <td class="number">{value && estimate.expected ? digits(value / estimate.expected, 2) : '–'}</td>
                                <td><Basis basis={estimate.basis} /></td>
                            </tr>
                        );
                    })}</tbody>
                </table>
            </Scroll>
        </section>
    );
}

const FROM: Readonly<Record<string, string>> = {field: 'fields', metrics: 'scrape', log: 'log', smi: 'nvidia-smi', words: 'words',
    deployment: 'deployment', fields: 'fields', arms: 'runs', plan: 'beside the budget'};
const fromWords = (from: string) => FROM[from] ?? from;

function ReadingLine({of}: {of: Reading})
{
    return (
        <li>
            <strong>{of.format ?? 'not understood'}</strong>: {of.used.toLocaleString('en-US')} of {of.lines.toLocaleString('en-US')} lines
            gave something{of.unknown > 0 && `, ${of.unknown.toLocaleString('en-US')} are not known`}
            {of.unknown_names.length > 0 && <> (<span class="mono">{of.unknown_names.join(', ')}</span>)</>}
            {of.truncated && ', and the end is missing'}.
        </li>
    );
}

export function Understood({diagnosis}: {diagnosis: Diagnosis})
{
    const {observed, not_used, notes} = diagnosis;
    const {quantities, signs, topics, readings} = observed;
    return (
        <section class="card" aria-labelledby="understood-title">
            <h2 id="understood-title">What was understood</h2>
            {readings.length > 0 && <ul class="diagnose-missing">{readings.map((row, i) => <ReadingLine key={i} of={row} />)}</ul>}
            {signs.length > 0 && (
                <>
                    <h3>Signs</h3>
                    <ul class="diagnose-missing">{signs.map((sign) => (
                        <li key={sign.id}>{sentence(sign.text)} <span class="soft">{fromWords(sign.origin)}</span></li>
                    ))}</ul>
                </>
            )}
            {topics.length > 0 && (
                <p><strong>In play:</strong> {topics.map(({topic, with_it}) =>
                    (with_it.length > 0 ? `${topic} (${with_it.join(', ')} with it)` : topic)).join(', ')}.</p>
            )}
            {quantities.length > 0 && (
                <details class="more" open={quantities.length <= 12}>
                    <summary>Figures ({quantities.length})</summary>
                    <dl class="pairs">{quantities.map((row) => (
                        <div key={row.name}>
                            <dt class="mono">{row.name}</dt>
                            <dd>{shown(row)} <span class="soft">{fromWords(row.from)}{row.over === 'stated' ? '' : `, ${row.over}`}</span></dd>
                        </div>
                    ))}</dl>
                </details>
            )}
            {quantities.length === 0 && signs.length === 0 && topics.length === 0 && <p>Nothing yet.</p>}
            {not_used.length > 0 && <p class="doubt">No rule uses: {not_used.join('; ')}.</p>}
            {notes.map((note) => <p key={note} class="soft diagnose-note">{sentence(note)}</p>)}
        </section>
    );
}
