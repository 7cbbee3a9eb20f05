// backtest-scatter.tsx - a dot for each figure: measured across, predicted up, both on the same scale.
import type {PlotOptions} from '@observablehq/plot';
import {useMemo, useState} from 'preact/hooks';
import {addressOfRecord} from '../../app/behind';
import type {BacktestRow, LeftOut} from '../../app/backtest';
import {digits, figure} from '../../app/figures';
import {planAddress} from '../../app/records';
import {Frame} from '../../charts/frame';
import {Plot, type PlotModule} from '../../charts/plot';
import type {Row} from '../../charts/save';
import {label} from './field-words';

/** A hue and a shape for each engine, the same whatever is filtered. */
const ENGINES = ['vllm', 'sglang', 'tensorrt-llm', 'llama.cpp', 'ik_llama.cpp', 'mlx', 'ollama', 'tgi'] as const;
const HUES = ['weights', 'kv', 'link', 'compute', 'host', 'launch', 'rest', 'rest'].map((name) => `var(--c-${name})`);
const SHAPES = ['circle', 'triangle', 'square', 'diamond', 'star', 'cross', 'wye', 'times'] as const;
const BAND = 0.2;
const HEIGHT = 460;

interface Dot {
    readonly row: BacktestRow;
    readonly measured: number;
    readonly predicted: number;
    readonly engine: string;
}

export function dotsOf(rows: readonly BacktestRow[], mode: LeftOut): Dot[]
{
    return rows.flatMap((row) => {
        const found = row.left_out[mode];
        const engine = String(row.conditions.engine ?? '');
        return found && row.measured > 0 && found.predicted > 0
            ? [{row, measured: row.measured, predicted: found.predicted, engine}] : [];
    });
}

function extent(dots: readonly Dot[]): [number, number]
{
    const all = dots.flatMap((dot) => [dot.measured, dot.predicted]);
    const low = all.reduce((least, value) => Math.min(least, value), Infinity);
    const high = all.reduce((most, value) => Math.max(most, value), 0);
    return dots.length ? [low / 1.2, high * 1.2] : [1, 100];
}

function describe(plot: PlotModule, width: number, dots: readonly Dot[], unit: string): PlotOptions
{
    const [low, high] = extent(dots);
    const ends = [low, high].map((x) => ({x, y: x, y1: x * (1 - BAND), y2: x * (1 + BAND)}));
    const channels = {x: 'measured', y: 'predicted', stroke: 'engine', symbol: 'engine'} as const;
    const ticks = width < 500 ? 4 : 8;
    return {
        marginLeft: 56, marginBottom: 42, marginRight: 12,
        x: {type: 'log', domain: [low, high], label: `measured, ${unit} →`, ticks, tickFormat: '~s'},
        y: {type: 'log', domain: [low, high], label: `↑ predicted, ${unit}`, ticks, tickFormat: '~s'},
        color: {domain: ENGINES, range: HUES}, symbol: {domain: ENGINES, range: SHAPES},
        marks: [
            plot.areaY(ends, {x: 'x', y1: 'y1', y2: 'y2', fill: 'var(--ink-soft)', fillOpacity: 0.14, clip: true}),
            plot.line(ends, {x: 'x', y: 'y', stroke: 'var(--ink-soft)'}),
            plot.gridX({ticks, stroke: 'var(--line-soft)', strokeOpacity: 1}),
            plot.gridY({ticks, stroke: 'var(--line-soft)', strokeOpacity: 1}),
            plot.dot(dots, {...channels, r: 2.6, strokeOpacity: 0.75, className: 'figures'}),
            plot.dot(dots, plot.pointer({...channels, r: 7, strokeWidth: 2.5})),
        ],
    };
}

function Legend({engines}: {engines: readonly string[]})
{
    return (
        <ul class="legend" aria-label="Engines">{engines.map((engine) => {
            const at = (ENGINES as readonly string[]).indexOf(engine);
            return <li key={engine}><i style={{background: HUES[at] ?? 'var(--c-rest)'}} />{engine}</li>;
        })}</ul>
    );
}

/** What the dot last pointed at says. */
function Readout({dot, mode, pinned}: {dot: Dot | null; mode: LeftOut; pinned: boolean})
{
    if (!dot)
        return <p class="readout soft">Point at a dot to read it, press to keep it. The grey band is ±20 %.</p>;
    const {row} = dot;
    const found = row.left_out[mode];
    const {model, hardware, engine, n_devices: devices, input_tokens: input, output_tokens: output, concurrency} = row.conditions;
    return (
        <p class="readout">
            <strong>{digits(dot.measured)} {row.unit}</strong> measured, <strong>{digits(dot.predicted)}</strong> predicted
            {found && found.low !== null && found.high !== null && <> ({digits(found.low)} to {digits(found.high)})</>},
            off by {figure(found?.error, 'change')}: {String(model)} on {devices ?? 1} × {String(hardware)}, {String(engine)},
            {' '}{input} in, {output} out, concurrency {concurrency}.{' '}
            <a href={addressOfRecord({kind: 'anchors', id: row.anchor})}>Measurement</a>
            {row.links.plan && <> · <a href={planAddress(row.links.plan)}>Plan</a></>}
            {pinned && <span class="soft"> · kept</span>}
        </p>
    );
}

const csvRow = ({row, predicted, engine}: Dot): Row => ({
    anchor: row.anchor, metric: row.metric, engine, hardware: String(row.conditions.hardware ?? ''),
    model: String(row.conditions.model ?? ''), measured: row.measured, predicted, unit: row.unit,
});

interface ScatterProps {
    readonly rows: readonly BacktestRow[];
    readonly mode: LeftOut;
    readonly metric: string;
    readonly waiting: boolean;
    readonly total: number;
    readonly embed: boolean;
}

export function Scatter({rows, mode, metric, waiting, total, embed}: ScatterProps)
{
    const dots = useMemo(() => dotsOf(rows, mode), [rows, mode]);
    const [pointed, setPointed] = useState<Dot | null>(null);
    const [pinned, setPinned] = useState<Dot | null>(null);
    const engines = ENGINES.filter((engine) => dots.some((dot) => dot.engine === engine));
    const unit = rows[0]?.unit ?? 'ms';
    const count = `${dots.length.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} figures`;
    return (
        <Frame id="backtest" title={`${label(metric)}: predicted against measured`} embed={embed}
            words={waiting && !dots.length ? 'Loading' : count} rows={() => dots.map(csvRow)}>
            <div class="scatter" onClick={(event) => {
                if ((event.target as Element).closest('svg'))
                    setPinned(pinned ? null : pointed);
            }}>
                <Plot height={HEIGHT} inputs={[dots]} label={`Predicted against measured ${label(metric)}, ${count}`}
                    draw={(plot, width) => describe(plot, width, dots, unit)}
                    onPoint={(datum) => datum && setPointed(datum as Dot)} />
            </div>
            <Legend engines={engines} />
            <Readout dot={pinned ?? pointed} mode={mode} pinned={pinned !== null} />
        </Frame>
    );
}
