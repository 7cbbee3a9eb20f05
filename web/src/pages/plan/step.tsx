// step.tsx - the step as stacked bars: what the device does, what the host does, what physics allows.
import {useMemo, useState} from 'preact/hooks';
import {figure, mark} from '../../app/figures';
import type {Plan, Step, StepClass} from '../../app/plan';
import {classColour} from '../../charts/colours';
import {Frame} from '../../charts/frame';
import {useWidth} from '../../charts/width';
import {ExplainSheet} from '../../ui/explain';
import {explainClass} from './explain';

const LEFT = 56;
const RIGHT = 12;
const BLOCK = 156;
const LANES = {device: {y: 46, height: 30}, host: {y: 88, height: 16}, floor: {y: 110, height: 12}} as const;
const AXIS_Y = 128;
const WHISKER_Y = 81;
/** A spread wider than this is cut, so that the step itself stays readable. */
const WIDEST = 1.6;

type Lane = keyof typeof LANES;

interface Segment {
    readonly row: StepClass;
    readonly lane: Lane;
    readonly from: number;
    readonly us: number;
}

interface Picked {
    readonly row: StepClass;
    readonly phase: string;
}

function stacked(rows: readonly StepClass[], lane: Lane, from: number, of: (row: StepClass) => number | null): Segment[]
{
    let at = from;
    return rows.flatMap((row) => {
        const us = of(row) ?? 0;
        const segment = {row, lane, from: at, us};
        at += us;
        return us > 0 ? [segment] : [];
    });
}

/**
 * Device and link classes follow one another; the host's stand so that they end with the step, which
 * shows how much of them the device hides.
 */
function segmentsOf(step: Step): Segment[]
{
    const onHost = step.classes.filter((row) => row.pass === 'host');
    const rest = step.classes.filter((row) => row.pass !== 'host');
    const end = (step.device_us ?? 0) + (step.exposed_host_us ?? 0);
    const host = onHost.reduce((sum, row) => sum + (row.expected_us ?? 0), 0);
    return [
        ...stacked(rest, 'device', 0, (row) => row.expected_us),
        ...stacked(onHost, 'host', Math.max(end - host, 0), (row) => row.expected_us),
        ...stacked(step.classes, 'floor', 0, (row) => row.floor_us),
    ];
}

function endOf(step: Step): number
{
    const end = Math.max((step.device_us ?? 0) + (step.exposed_host_us ?? 0),
        ...segmentsOf(step).map((segment) => segment.from + segment.us));
    return Math.max(end, Math.min(step.high_us ?? 0, end * WIDEST));
}

/** Round steps of 1, 2 or 5 that give about `wanted` marks. */
function ticksOf(end: number, wanted: number): number[]
{
    const rough = end / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const sizes = [1, 2, 5, 10].map((factor) => factor * power).filter((size) => size <= end);
    const step = sizes.find((size) => size >= rough) ?? sizes[sizes.length - 1] ?? power;
    return Array.from({length: Math.floor(end / step + 1e-9) + 1}, (_, i) => i * step);
}

function Bar({segment, x, width, phase, onPick}:
    {segment: Segment; x: number; width: number; phase: string; onPick: (picked: Picked) => void})
{
    const {row, lane} = segment;
    const {y, height} = LANES[lane];
    const label = `${row.class}, ${lane === 'floor' ? 'floor ' : ''}${figure(segment.us, 'us')}` +
        (lane !== 'floor' && row.share ? `, ${figure(row.share, 'share')} of the step` : '');
    const pick = () => onPick({row, phase});
    return (
        <g role="button" tabindex={0} aria-label={label} aria-haspopup="dialog" class="bar-part" onClick={pick}
            onKeyDown={(event) => {
                if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    pick();
                }
            }}>
            <title>{label}</title>
            <rect x={x} y={y} width={Math.max(width, 1)} height={height} fill={classColour(row.class)}
                fill-opacity={lane === 'floor' ? 0.65 : 1} stroke="var(--card)" stroke-width={width > 4 ? 1 : 0} />
        </g>
    );
}

const LETTER = 7.4;

/** The names of device classes over their bars, where there is room for them; those of long bars first. */
function Names({segments, at, right}: {segments: readonly Segment[]; at: (us: number) => number; right: number})
{
    const placed: {text: string; from: number; to: number}[] = [];
    const device = segments.filter((segment) => segment.lane === 'device').sort((a, b) => b.us - a.us);
    for (const {row, from, us} of device) {
        const x = at(from);
        const name = {text: row.class, from: x, to: x + row.class.length * LETTER + 8};
        if (at(from + us) - x >= 24 && name.to <= right + 8 &&
            !placed.some((other) => name.from < other.to && other.from < name.to))
            placed.push(name);
    }
    return (
        <>
            {placed.map(({text, from}) => (
                <text key={text} x={from} y={LANES.device.y - 5} class="chart-text">{text}</text>
            ))}
        </>
    );
}

function Whisker({step, at, end}: {step: Step; at: (us: number) => number; end: number})
{
    if (step.low_us === null || step.high_us === null || step.expected_us === null)
        return null;
    const cut = step.high_us > end;
    const from = at(step.low_us);
    const to = at(Math.min(step.high_us, end));
    return (
        <g class="whisker">
            <title>{`80 % within ${figure(step.low_us, 'us')} to ${figure(step.high_us, 'us')}`}</title>
            <line x1={from} x2={to} y1={WHISKER_Y} y2={WHISKER_Y} stroke="var(--ink)" stroke-width="1.5"
                stroke-dasharray={cut ? '4 3' : undefined} />
            <line x1={from} x2={from} y1={WHISKER_Y - 4} y2={WHISKER_Y + 4} stroke="var(--ink)" stroke-width="1.5" />
            {!cut && <line x1={to} x2={to} y1={WHISKER_Y - 4} y2={WHISKER_Y + 4} stroke="var(--ink)" stroke-width="1.5" />}
            <circle cx={at(Math.min(step.expected_us, end))} cy={WHISKER_Y} r="3.5" fill="var(--ink)" />
        </g>
    );
}

interface BlockProps {
    readonly step: Step;
    readonly phase: string;
    readonly title: string;
    readonly y: number;
    readonly width: number;
    readonly onPick: (picked: Picked) => void;
}

function Block({step, phase, title, y, width, onPick}: BlockProps)
{
    const segments = segmentsOf(step);
    const end = endOf(step);
    const at = (us: number) => LEFT + (us / end) * (width - LEFT - RIGHT);
    const device = step.device_us ?? 0;
    const exposed = step.exposed_host_us ?? 0;
    const range = rangeOf(step);
    return (
        <g transform={`translate(0 ${y})`}>
            <text x={0} y={14} class="chart-title">{title}{width > 480 ? range : ''}</text>
            {(Object.keys(LANES) as Lane[]).map((lane) => (
                <text key={lane} x={0} y={LANES[lane].y + LANES[lane].height / 2 + 4} class="chart-text chart-soft">{lane}</text>
            ))}
            <Names segments={segments} at={at} right={width} />
            <g opacity={step.expected_us === null && step.basis === 'no record' ? 0.55 : 1}>
                {segments.map((segment) => (
                    <Bar key={`${segment.lane} ${segment.row.class}`} segment={segment} x={at(segment.from)}
                        width={at(segment.from + segment.us) - at(segment.from)} phase={phase} onPick={onPick} />
                ))}
                {exposed > 0 && (
                    <rect x={at(device)} y={LANES.device.y} width={Math.max(at(device + exposed) - at(device), 1)}
                        height={LANES.device.height} fill="none" stroke="var(--c-host)" stroke-width="1.5"
                        stroke-dasharray="4 3">
                        <title>{`the device waits ${figure(exposed, 'us')} for the host`}</title>
                    </rect>
                )}
            </g>
            <Whisker step={step} at={at} end={end} />
            <line x1={LEFT} x2={width - RIGHT} y1={AXIS_Y} y2={AXIS_Y} stroke="var(--line)" />
            {ticksOf(end, Math.max(Math.floor(width / 110), 2)).map((tick) => (
                <g key={tick}>
                    <line x1={at(tick)} x2={at(tick)} y1={AXIS_Y} y2={AXIS_Y + 4} stroke="var(--ink-soft)" />
                    <text x={at(tick)} y={AXIS_Y + 17} text-anchor={tick === 0 ? 'start' : 'middle'}
                        class="chart-text chart-soft">{tick === 0 ? '0' : mark(tick, 'us')}</text>
                </g>
            ))}
        </g>
    );
}

function rangeOf(step: Step): string
{
    return step.low_us !== null && step.high_us !== null
        ? ` (${figure(step.low_us, 'us')} to ${figure(step.high_us, 'us')})` : '';
}

function titleOf(name: string, step: Step): string
{
    const time = step.expected_us === null ? `no record, at least ${figure(step.floor_us, 'us')}`
        : figure(step.expected_us, 'us');
    return `${name}: ${time}`;
}

function words(plan: Plan): string
{
    const {decode} = plan;
    const hidden = decode.exposed_host_us
        ? `The device waits ${figure(decode.exposed_host_us, 'us')} for the host in each decode step (dashed).`
        : 'The host works in the shadow of the device.';
    const spread = decode.low_us !== null ? ' The line under the device lane holds 80 % of what was seen.' : '';
    const unknown = decode.expected_us === null ? ' Nobody measured such a step: its parts show shares, not times.' : '';
    const stages = Number(plan.request.deployment.pp) > 1 ? ' Bars are those of one pipeline stage.' : '';
    return `${hidden}${spread}${unknown}${stages} Press a part for its formula.`;
}

export function StepChart({plan, embed}: {plan: Plan; embed: boolean})
{
    const [picked, setPicked] = useState<Picked | null>(null);
    const [box, width] = useWidth<HTMLDivElement>(720);
    const steps = useMemo(() => [
        {phase: 'decode', step: plan.decode as Step,
            title: titleOf(`Decode step, batch ${plan.decode.batch.toLocaleString('en-US')}`, plan.decode)},
        {phase: 'prefill', step: plan.prefill as Step,
            title: titleOf(`Prefill of ${plan.prefill.tokens.toLocaleString('en-US')} tokens`, plan.prefill)},
    ], [plan]);
    const rows = () => steps.flatMap(({phase, step}) => step.classes.map((row) => ({
        phase, class: row.class, pass: row.pass, floor_us: row.floor_us, expected_us: row.expected_us,
        share: row.share, basis: row.basis,
    })));
    return (
        <Frame id="step" title="The step" words={words(plan)} rows={rows} embed={embed}>
            <div ref={box}>
                <svg class="drawing" role="group" aria-label="Decode step and prefill as stacked bars"
                    viewBox={`0 0 ${width} ${2 * BLOCK}`} width={width} height={2 * BLOCK}>
                    {steps.map(({phase, step, title}, i) => (
                        <Block key={phase} step={step} phase={phase} title={title} y={i * BLOCK} width={width}
                            onPick={setPicked} />
                    ))}
                </svg>
            </div>
            {picked && <ExplainSheet explanation={explainClass(picked.row, picked.phase)}
                onClose={() => setPicked(null)} />}
        </Frame>
    );
}
