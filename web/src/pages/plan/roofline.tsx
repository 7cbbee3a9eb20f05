// roofline.tsx - every class of the step under the roofs of its part: what it reaches against what it could.
//
// Drawn by hand: each class is a button that opens its formula, which a chart library's marks are not.
import {useEffect, useMemo, useState} from 'preact/hooks';
import {recordOf} from '../../app/behind';
import {digits, figure, mark} from '../../app/figures';
import type {Plan, Step, StepClass} from '../../app/plan';
import {classColour} from '../../charts/colours';
import {Frame} from '../../charts/frame';
import {useWidth} from '../../charts/width';
import {ExplainSheet} from '../../ui/explain';
import {explainClass} from './explain';
import {labelled, LETTER, type Label} from './labels';

const HEIGHT = 380;
const MARGIN = {left: 52, right: 14, top: 26, bottom: 40};

interface Dot {
    readonly row: StepClass;
    readonly phase: string;
    readonly intensity: number;
    readonly achieved: number;
    readonly floor: boolean;
}

interface Roof {
    readonly name: string;
    readonly flops_s: number;
}

interface PartRecord {
    readonly mem_bw_gbps?: number | null;
    readonly peak_dense_tflops?: Readonly<Record<string, number>>;
}

/** Classes that compute and read; where nobody measured, at their floor, no higher than memory allows. */
export function dotsOf(plan: Plan, bandwidth: number): Dot[]
{
    return ([['decode', plan.decode], ['prefill', plan.prefill]] as [string, Step][]).flatMap(([phase, step]) =>
        step.classes.flatMap((row) => {
            const floor = row.expected_us === null || step.expected_us === null;
            const us = floor ? Math.max(row.floor_us ?? 0, (row.bytes ?? 0) / bandwidth * 1e6) : row.expected_us;
            return row.pass === 'device' && row.flops && row.bytes && us
                ? [{row, phase, intensity: row.flops / row.bytes, achieved: row.flops / us * 1e6, floor}] : [];
        }));
}

/** Bytes per second: of the part's record, else of a class that does nothing but move bytes. */
function bandwidthOf(plan: Plan, part: PartRecord | null): number | null
{
    const inline = plan.request.hardware as PartRecord;
    const given = part?.mem_bw_gbps ?? (typeof inline === 'object' ? inline.mem_bw_gbps : null);
    const mover = plan.decode.classes.find((row) => row.class === 'kv_write' && row.bytes && row.floor_us);
    if (given)
        return given * 1e9;
    return mover ? (mover.bytes ?? 0) / (mover.floor_us ?? 1) * 1e6 : null;
}

/** The peak of the dense GEMMs' own compute type, and the part's others that a class reaches beyond it. */
function roofsOf(plan: Plan, part: PartRecord | null, bandwidth: number): Roof[]
{
    const gemm = (plan.decode.ridge ?? 0) * bandwidth;
    const peaks = Object.entries(part?.peak_dense_tflops ?? {}).map(([name, tflops]) => ({name, flops_s: tflops * 1e12}));
    const named = peaks.filter((peak) => Math.abs(peak.flops_s / gemm - 1) < 0.01).map((peak) => peak.name);
    const preferred = ['bf16', 'fp16', 'fp8', 'fp4', 'int8'].find((name) => named.includes(name)) ?? named[0];
    const sixteen = peaks.find((peak) => peak.name === 'bf16') ?? peaks.find((peak) => peak.name === 'fp16');
    const roofs = gemm > 0 ? [{name: preferred ?? 'GEMMs', flops_s: gemm}] : [];
    return sixteen && Math.abs(sixteen.flops_s / gemm - 1) > 0.01 ? [...roofs, sixteen] : roofs;
}

function usePart(hardware: Plan['request']['hardware']): PartRecord | null
{
    const [part, setPart] = useState<PartRecord | null>(null);
    useEffect(() => {
        let alive = true;
        setPart(null);
        if (typeof hardware === 'string')
            recordOf({kind: 'hardware', id: hardware}).then((row) => alive && setPart(row as PartRecord), () => undefined);
        return () => {
            alive = false;
        };
    }, [typeof hardware === 'string' ? hardware : '']);
    return part;
}

interface Scales {
    readonly x: (intensity: number) => number;
    readonly y: (flops_s: number) => number;
    readonly xs: readonly [number, number];
    readonly ys: readonly [number, number];
}

const decades = (from: number, to: number) =>
    [10 ** Math.floor(Math.log10(from)), 10 ** Math.ceil(Math.log10(to))] as const;

function scalesOf(dots: readonly Dot[], roofs: readonly Roof[], bandwidth: number, width: number): Scales
{
    const top = Math.max(...roofs.map((roof) => roof.flops_s), bandwidth);
    const ridge = top / bandwidth;
    const xs = decades(Math.min(1, ...dots.map((dot) => dot.intensity)), Math.max(ridge * 4, ...dots.map((dot) => dot.intensity)));
    const ys = decades(Math.min(xs[0] * bandwidth * 0.5, ...dots.map((dot) => dot.achieved)), top * 1.2);
    const scale = (value: number, [from, to]: readonly [number, number], start: number, end: number) =>
        start + (Math.log10(value / from) / Math.log10(to / from)) * (end - start);
    return {
        xs, ys,
        x: (value) => scale(value, xs, MARGIN.left, width - MARGIN.right),
        y: (value) => scale(value, ys, HEIGHT - MARGIN.bottom, MARGIN.top),
    };
}

function powers([from, to]: readonly [number, number]): number[]
{
    const first = Math.round(Math.log10(from));
    return Array.from({length: Math.round(Math.log10(to / from)) + 1}, (_, i) => 10 ** (first + i));
}

const flopsPerSecond = (value: number) => `${figure(value, 'flops')}/s`;

function Axes({scales, width}: {scales: Scales; width: number})
{
    const {x, y, xs, ys} = scales;
    const bottom = HEIGHT - MARGIN.bottom;
    return (
        <g>
            {powers(xs).map((value) => (
                <g key={value}>
                    <line x1={x(value)} x2={x(value)} y1={MARGIN.top} y2={bottom} stroke="var(--line-soft)" />
                    <text x={x(value)} y={bottom + 15} text-anchor="middle" class="chart-text chart-soft">{mark(value, 'count')}</text>
                </g>
            ))}
            {powers(ys).map((value) => (
                <g key={value}>
                    <line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(value)} y2={y(value)} stroke="var(--line-soft)" />
                    <text x={MARGIN.left - 6} y={y(value) + 4} text-anchor="end" class="chart-text chart-soft">
                        {mark(value, 'flops').replace('FLOP', '')}
                    </text>
                </g>
            ))}
            <text x={width - MARGIN.right} y={HEIGHT - 6} text-anchor="end" class="chart-text">FLOP per byte</text>
            <text x={2} y={11} class="chart-text">FLOP/s</text>
        </g>
    );
}

const roofName = (roof: Roof, bandwidth: number) =>
    `${roof.name} ${flopsPerSecond(roof.flops_s)}, ridge ${digits(roof.flops_s / bandwidth)}`;

function Roofs({scales, roofs, bandwidth, width}:
    {scales: Scales; roofs: readonly Roof[]; bandwidth: number; width: number})
{
    const {x, y, xs, ys} = scales;
    const top = Math.max(...roofs.map((roof) => roof.flops_s), bandwidth);
    const start = Math.max(xs[0], ys[0] / bandwidth);
    return (
        <g>
            <line x1={x(start)} y1={y(start * bandwidth)} x2={x(top / bandwidth)} y2={y(top)} stroke="var(--ink)"
                stroke-width="1.5" />
            {roofs.map((roof) => {
                const ridge = roof.flops_s / bandwidth;
                return (
                    <g key={roof.name}>
                        <line x1={x(ridge)} y1={y(roof.flops_s)} x2={width - MARGIN.right} y2={y(roof.flops_s)}
                            stroke="var(--ink)" stroke-width="1.5" />
                        <line x1={x(ridge)} x2={x(ridge)} y1={y(roof.flops_s)} y2={HEIGHT - MARGIN.bottom}
                            stroke="var(--ink-soft)" stroke-dasharray="3 4" />
                        <text x={width - MARGIN.right} y={y(roof.flops_s) - 5} text-anchor="end" class="chart-text">
                            {roofName(roof, bandwidth)}
                        </text>
                    </g>
                );
            })}
        </g>
    );
}

function Mark({dot, x, y, onPick}: {dot: Dot; x: number; y: number; onPick: (dot: Dot) => void})
{
    const colour = classColour(dot.row.class);
    const words = `${dot.row.class}, ${dot.phase}: ${digits(dot.intensity)} FLOP per byte, ` +
        `${flopsPerSecond(dot.achieved)}${dot.floor ? ' at its floor, no record' : ''}: ${dot.row.formula}`;
    const filled = dot.floor ? 'var(--card)' : colour;
    return (
        <g role="button" tabindex={0} class="mark" aria-label={words} aria-haspopup="dialog" onClick={() => onPick(dot)}
            onKeyDown={(event) => {
                if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    onPick(dot);
                }
            }}>
            <title>{words}</title>
            {dot.phase === 'decode'
                ? <circle cx={x} cy={y} r="6" fill={filled} stroke={dot.floor ? colour : 'var(--card)'} stroke-width="1.5" />
                : <rect x={x - 5.5} y={y - 5.5} width="11" height="11" transform={`rotate(45 ${x} ${y})`} fill={filled}
                    stroke={dot.floor ? colour : 'var(--card)'} stroke-width="1.5" />}
        </g>
    );
}

function Labels({labels}: {labels: readonly (Label | undefined)[]})
{
    return (
        <g aria-hidden="true">
            {labels.map((label, i) => label && (
                <text key={i} x={label.x} y={label.y} text-anchor={label.anchor} class="chart-text halo">{label.text}</text>
            ))}
        </g>
    );
}

export function Roofline({plan, embed}: {plan: Plan; embed: boolean})
{
    const [picked, setPicked] = useState<Dot | null>(null);
    const [box, width] = useWidth<HTMLDivElement>(560);
    const part = usePart(plan.request.hardware);
    const bandwidth = bandwidthOf(plan, part);
    const dots = useMemo(() => dotsOf(plan, bandwidth ?? 1), [plan, bandwidth]);
    const rows = () => dots.map((dot) => ({
        phase: dot.phase, class: dot.row.class, intensity_flop_per_byte: dot.intensity, achieved_flop_s: dot.achieved,
        floor_only: dot.floor, basis: dot.row.basis,
    }));
    if (!bandwidth)
        return null;
    const roofs = roofsOf(plan, part, bandwidth);
    const scales = scalesOf(dots, roofs, bandwidth, width);
    const places = dots.map((dot) => ({dot, x: scales.x(dot.intensity), y: scales.y(dot.achieved)}));
    const frame = {left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: HEIGHT - MARGIN.bottom};
    const labels = labelled(places.map(({dot, x, y}) => ({x, y, text: dot.row.class})), frame, roofs.map((roof) => ({
        left: frame.right - roofName(roof, bandwidth).length * LETTER, right: frame.right,
        top: scales.y(roof.flops_s) - 18, bottom: scales.y(roof.flops_s) - 1,
    })));
    const hollow = dots.some((dot) => dot.floor);
    return (
        <Frame id="roofline" title="Roofline" rows={rows} embed={embed}
            words={`Circles: decode. Diamonds: prefill. Under the slope a class waits for ${figure(bandwidth, 'bytes')}/s of ` +
                `memory, under the flat for compute.${hollow ? ' Hollow: nobody measured it, drawn at its floor.' : ''}`}>
            <div ref={box}>
                <svg class="drawing" role="group" aria-label="Roofline of the part with every class of the step"
                    viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT}>
                    <Axes scales={scales} width={width} />
                    <Roofs scales={scales} roofs={roofs} bandwidth={bandwidth} width={width} />
                    <Labels labels={labels} />
                    {places.map(({dot, x, y}) => (
                        <Mark key={`${dot.phase} ${dot.row.class}`} dot={dot} x={x} y={y} onPick={setPicked} />
                    ))}
                </svg>
            </div>
            {picked && <ExplainSheet explanation={explainClass(picked.row, picked.phase)}
                onClose={() => setPicked(null)} />}
        </Frame>
    );
}
