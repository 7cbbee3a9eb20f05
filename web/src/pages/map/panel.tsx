// panel.tsx - the plan of one cell of a map, and the way to all of it.
import type {ComponentChildren} from 'preact';
import {addressOf} from '../../app/location';
import {figure, type Unit} from '../../app/figures';
import {Basis} from '../../ui/badge';
import {waits} from './colouring';
import {labelWithin} from './axes';
import type {Cell, Grid} from './sweep';

/** The title of each regime, as the API words it. */
export type Titles = ReadonlyMap<string, string>;

interface PanelProps {
    readonly grid: Grid;
    readonly cell: Cell;
    readonly titles: Titles;
    /** The plan's settings without those of the map. */
    readonly plan: URLSearchParams;
    /** The address of this map with the cell as the point that is planned. */
    readonly here: string;
    readonly isPoint: boolean;
}

function planAddress(plan: URLSearchParams, grid: Grid, cell: Cell): string
{
    const query = new URLSearchParams(plan);
    query.set(grid.x.kind.leaf, String(cell.x));
    query.set(grid.y.kind.leaf, String(cell.y));
    return addressOf('/', query);
}

function Row({name, children}: {name: string; children: ComponentChildren})
{
    return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

function Estimate({value, low, high, unit, suffix = ''}:
    {value: number | null; low?: number | null; high?: number | null; unit: Unit; suffix?: string})
{
    if (value === null)
        return <span class="soft">no record</span>;
    return (
        <>
            <strong>{figure(value, unit)}{suffix}</strong>
            {typeof low === 'number' && typeof high === 'number' &&
                <span class="soft interval-words"> {figure(low, unit)} to {figure(high, unit)}</span>}
        </>
    );
}

const axisWords = ({kind}: Grid['x'], value: number) =>
    `${labelWithin(kind)} ${value >= 1000 ? value.toLocaleString('en-US') : figure(value, 'count')}`;

export const placeWords = (grid: Grid, cell: Cell) => `${axisWords(grid.x, cell.x)}, ${axisWords(grid.y, cell.y)}`;

function Verdict({cell, titles}: {cell: Cell; titles: Titles})
{
    if (cell.why !== null)
        return <>No plan: {cell.why}</>;
    if (cell.fits === false)
        return <>Does not fit in memory</>;
    return <>{titles.get(cell.regime ?? '') ?? cell.regime}</>;
}

function Figures({cell}: {cell: Cell})
{
    return (
        <dl class="map-figures">
            <Row name="Dominant class">
                <span class="mono">{cell.dominant_class}</span> {figure(cell.dominant_share, 'share')}
                <span class="soft"> of {cell.dominant_phase}</span>
            </Row>
            <Row name="Time to first token">
                <Estimate value={cell.ttft_ms} low={cell.ttft_ms_low} high={cell.ttft_ms_high} unit="ms" />
            </Row>
            <Row name="Time per output token">
                <Estimate value={cell.tpot_ms} low={cell.tpot_ms_low} high={cell.tpot_ms_high} unit="ms" />
            </Row>
            <Row name="Output, all and per user">
                <Estimate value={cell.output_tok_s} unit="rate" suffix=" tok/s" />{', '}
                <Estimate value={cell.per_user_tok_s} unit="rate" suffix=" tok/s" />
            </Row>
            <Row name="Memory">
                {cell.fits ? 'fits' : <span class="bad">does not fit</span>}
                {cell.fits && cell.max_concurrency !== null &&
                    <span class={waits(cell) ? 'doubt' : 'soft'}> · room for {figure(cell.max_concurrency, 'requests')} requests
                        {waits(cell) ? ', the rest waits' : ''}</span>}
            </Row>
        </dl>
    );
}

export function Panel({grid, cell, titles, plan, here, isPoint}: PanelProps)
{
    return (
        <section class="card map-panel" aria-labelledby="map-panel-title">
            <h2 id="map-panel-title">{isPoint ? 'The planned point' : 'The plan here'}</h2>
            <p class="soft">{placeWords(grid, cell)}</p>
            <p class="map-verdict" aria-live="polite"><Verdict cell={cell} titles={titles} /></p>
            {cell.why === null && <Figures cell={cell} />}
            {cell.why === null && <p>Times are <Basis basis={cell.basis} /></p>}
            <p class="map-links">
                <a class="button-link" href={planAddress(plan, grid, cell)}>Plan this</a>
                {!isPoint && <a href={here}>Mark this point</a>}
            </p>
        </section>
    );
}
