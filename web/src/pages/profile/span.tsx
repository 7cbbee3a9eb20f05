// span.tsx - the window as one bar: the device busy, and idle by what the host did; the budget's beneath.
import type {Attribution} from '../../app/attribution';
import {figure} from '../../app/figures';
import {useWidth} from '../../charts/width';

/** Parts of idle time in words, each with its look. */
const PARTS: Readonly<Record<string, {readonly words: string; readonly look: string}>> = {
    memcpy: {words: 'copies', look: 'span-copies'},
    sync: {words: 'waits for a synchronisation', look: 'span-sync'},
    launch_gaps: {words: 'gaps between launches', look: 'span-gaps'},
    scheduler_or_other: {words: 'scheduler or other', look: 'span-host'},
};

interface Piece {
    readonly name: string;
    readonly us: number;
    readonly look: string;
}

function piecesOf({busy_us, idle_us, host}: Attribution): Piece[]
{
    const parts = host.parts.filter(({us}) => us > 0)
        .map(({part, us}) => ({name: PARTS[part]?.words ?? part.replaceAll('_', ' '), us, look: PARTS[part]?.look ?? 'span-host'}));
    const rest = (idle_us ?? 0) - parts.reduce((sum, part) => sum + part.us, 0);
    const idle = parts.length > 0 ? parts : [{name: 'idle', us: rest, look: 'span-host'}];
    return [{name: 'busy', us: busy_us ?? 0, look: 'span-busy'}, ...idle].filter(({us}) => us > 0);
}

function Lane({name, pieces, whole, y, width}: {name: string; pieces: readonly Piece[]; whole: number; y: number; width: number})
{
    const left = 66;
    let at = left;
    return (
        <g>
            <text x={0} y={y + 15} class="chart-text chart-soft">{name}</text>
            {pieces.map((piece) => {
                const x = at;
                const length = (piece.us / whole) * (width - left);
                at += length;
                return (
                    <rect key={piece.name} x={x} y={y} width={Math.max(length, 0.5)} height={22} class={piece.look}>
                        <title>{`${piece.name}: ${figure(piece.us, 'us')}`}</title>
                    </rect>
                );
            })}
        </g>
    );
}

/** Of a window of several steps the budget is that of as many. */
function budgetPieces({budget, host, steps}: Attribution): Piece[]
{
    if (budget.no_record !== null || budget.device_us === null || budget.ratios_are_of === 'shares')
        return [];
    const times = steps ?? 1;
    return [{name: 'device, budget', us: budget.device_us * times, look: 'span-busy span-pale'},
        {name: 'host, budget', us: (host.budget_us ?? 0) * times, look: 'span-host span-pale'}].filter(({us}) => us > 0);
}

export function SpanBar({attribution}: {attribution: Attribution})
{
    const [box, width] = useWidth<HTMLDivElement>(720);
    const {span_us, host} = attribution;
    const title = <h2 id="span-title">Busy and idle</h2>;
    if (span_us === null || attribution.busy_us === null)
        return (
            <section class="card" aria-labelledby="span-title">
                {title}
                <p class="soft">Not told by this file{host.no_record ? `: ${host.no_record}` : ''}.</p>
            </section>
        );
    const measured = piecesOf(attribution);
    const planned = budgetPieces(attribution);
    const sumOf = (pieces: readonly Piece[]) => pieces.reduce((sum, piece) => sum + piece.us, 0);
    const whole = Math.max(sumOf(measured), sumOf(planned), 1e-9);
    const height = planned.length > 0 ? 52 : 24;
    return (
        <section class="card" aria-labelledby="span-title">
            {title}
            <p class="soft">While the device is idle it waits for the host.{host.no_record && ` What for is not known: ${host.no_record}.`}</p>
            <div ref={box}>
                <svg class="drawing" role="img" aria-labelledby="span-title" aria-describedby="span-parts" viewBox={`0 0 ${width} ${height}`}
                    width={width} height={height}>
                    <Lane name="measured" pieces={measured} whole={whole} y={0} width={width} />
                    {planned.length > 0 && <Lane name="budget" pieces={planned} whole={whole} y={28} width={width} />}
                </svg>
            </div>
            <ul class="span-parts" id="span-parts">
                {measured.map(({name, us, look}) => (
                    <li key={name}><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" class={look} /></svg>{' '}
                        {name} <strong>{figure(us, 'us')}</strong> <span class="soft">{figure(us / span_us, 'share')}</span></li>
                ))}
                {planned.map(({name, us}) => <li key={name} class="soft">{name} {figure(us, 'us')}</li>)}
            </ul>
            {host.calls.length > 0 && (
                <details class="more">
                    <summary>Calls of the runtime</summary>
                    <dl class="pairs">{host.calls.map(({call, calls, us}) => (
                        <div key={call}><dt>{call.replaceAll('_', ' ')}</dt><dd>{figure(calls, 'tokens')} calls, {figure(us, 'us')}</dd></div>
                    ))}</dl>
                </details>
            )}
        </section>
    );
}
