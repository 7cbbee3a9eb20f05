// rest.tsx - where the plan moves next, what was measured nearby, what nobody measured, what was assumed.
import {addressOfRecord} from '../../app/behind';
import {digits, figure, type Unit} from '../../app/figures';
import {addressOf} from '../../app/location';
import type {Move, NearAnchor, Plan} from '../../app/plan';
import {argumentOf} from '../../app/plan-query';
import {axisWords, regimeWords} from './words';

/** Axes of moves that are arguments too, and so axes of the map. */
const ARGUMENT: Readonly<Record<string, string>> = {
    concurrency: 'concurrency', context: 'input_tokens', output_tokens: 'output_tokens', tp: 'tp',
};

const shown = (value: number | string) => typeof value === 'number'
    ? value >= 100 ? Math.round(value).toLocaleString('en-US') : digits(value) : value;

function MoveRow({move, query}: {move: Move; query: URLSearchParams})
{
    const name = ARGUMENT[move.axis];
    const there = new URLSearchParams(query);
    if (name && move.at !== null)
        there.set(name, String(move.at));
    return (
        <tr>
            <th scope="row">{axisWords(move.axis)}</th>
            <td class="number">{shown(move.from)}</td>
            <td class="number">
                {move.direction === 'up' ? '↑' : '↓'}{' '}
                {move.at === null ? '' : name ? <a href={addressOf('/', there)}>{shown(move.at)}</a> : shown(move.at)}
            </td>
            <td>{move.to_regime ? regimeWords(move.to_regime) : ''}</td>
            <td class="mono wide-only">{move.to_class}</td>
        </tr>
    );
}

export function Moves({plan, query}: {plan: Plan; query: URLSearchParams})
{
    const found = plan.moves.filter((move) => move.at !== null);
    const still = [...new Set(plan.moves.filter((move) => !found.some((other) => other.axis === move.axis))
        .map((move) => axisWords(move.axis)))];
    return (
        <section class="card" aria-labelledby="moves-title" id="moves">
            <h2 id="moves-title">Where it moves next</h2>
            <p class="soft">
                The nearest value of each setting, within 64 times of this one, at which another regime begins.{' '}
                <a href={addressOf('/map', query)}>See the map</a>
            </p>
            {found.length > 0 && (
                <div class="scroll" tabIndex={0} role="group" aria-labelledby="moves-title">
                    <table>
                        <thead>
                            <tr><th scope="col">Setting</th><th scope="col" class="number">Now</th>
                                <th scope="col" class="number">Changes at</th><th scope="col">Regime</th>
                                <th scope="col" class="wide-only">Leading class</th></tr>
                        </thead>
                        <tbody>
                            {found.map((move) => <MoveRow key={`${move.axis} ${move.direction}`} move={move} query={query} />)}
                        </tbody>
                    </table>
                </div>
            )}
            {still.length > 0 && <p class="soft">No change found along: {still.join(', ').toLowerCase()}.</p>}
        </section>
    );
}

const METRICS: readonly {name: string; title: string; unit: Unit}[] = [
    {name: 'ttft_ms', title: 'TTFT', unit: 'ms'},
    {name: 'tpot_ms', title: 'TPOT', unit: 'ms'},
    {name: 'output_tok_s', title: 'Output tok/s', unit: 'rate'},
];

function AnchorRow({anchor}: {anchor: NearAnchor})
{
    const {conditions: of} = anchor;
    const number = (name: string) => typeof of[name] === 'number' ? (of[name] as number).toLocaleString('en-US') : '–';
    return (
        <tr>
            <th scope="row">
                <a href={addressOfRecord({kind: 'anchors', id: anchor.id})}>{of.model} on {of.n_devices} × {of.hardware}</a>
            </th>
            <td>{[of.engine, of.engine_version].filter(Boolean).join(' ')}</td>
            <td>{of.weights}</td>
            <td class="number">{number('concurrency')}</td>
            <td class="number">{number('input_tokens')} / {number('output_tokens')}</td>
            {METRICS.map((metric) => (
                <td key={metric.name} class="number">
                    {anchor.metrics[metric.name] === undefined ? '–' : figure(anchor.metrics[metric.name], metric.unit)}
                </td>
            ))}
            <td class="number">{anchor.exact ? 'exact' : digits(anchor.distance)}</td>
        </tr>
    );
}

export function Anchors({plan}: {plan: Plan})
{
    return (
        <section class="card" aria-labelledby="anchors-title" id="anchors">
            <h2 id="anchors-title">Measured nearby</h2>
            {plan.anchors.length === 0
                ? <p>No record: nobody is known to have measured anything like it.</p>
                : (
                    <div class="scroll" tabIndex={0} role="group" aria-labelledby="anchors-title">
                        <table>
                            <thead>
                                <tr><th scope="col">Measurement</th><th scope="col">Engine</th><th scope="col">Weights</th>
                                    <th scope="col" class="number">Concurrency</th>
                                    <th scope="col" class="number">In / out</th>
                                    {METRICS.map((metric) => (
                                        <th key={metric.name} scope="col" class="number">{metric.title}</th>
                                    ))}
                                    <th scope="col" class="number">Distance</th></tr>
                            </thead>
                            <tbody>{plan.anchors.map((anchor) => <AnchorRow key={anchor.id} anchor={anchor} />)}</tbody>
                        </table>
                    </div>
                )}
        </section>
    );
}

export function Gaps({plan}: {plan: Plan})
{
    if (plan.gaps.length === 0)
        return null;
    return (
        <section class="card" aria-labelledby="gaps-title" id="gaps">
            <h2 id="gaps-title">No record</h2>
            <p class="soft">What nobody measured and this plan would be surer with.</p>
            <ul class="lines">
                {plan.gaps.map((gap) => (
                    <li key={gap.id}><a href={addressOfRecord({kind: 'gaps', id: gap.id})}>{gap.question}</a></li>
                ))}
            </ul>
        </section>
    );
}

function valueAt(plan: Plan, pointer: string): string
{
    const value = pointer.slice(1).split('/').reduce<unknown>((at, name) =>
        typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined, plan.request);
    return Array.isArray(value) ? value.join(', ') || 'none' : String(value);
}

export function Assumed({plan}: {plan: Plan})
{
    return (
        <section class="card" aria-labelledby="assumed-title" id="assumed">
            <h2 id="assumed-title">Assumed</h2>
            <p class="soft">Settings that were not given, and what stands for them.</p>
            <dl class="pairs">
                {plan.assumed.map((pointer) => (
                    <div key={pointer}>
                        <dt class="mono">{argumentOf(pointer)}</dt>
                        <dd>
                            {valueAt(plan, pointer)}
                            {plan.assumed_from[pointer] && (
                                <span class="soft"> from <a href={addressOfRecord({kind: 'launches',
                                    id: plan.assumed_from[pointer]})}>a launch</a></span>
                            )}
                        </dd>
                    </div>
                ))}
            </dl>
        </section>
    );
}
