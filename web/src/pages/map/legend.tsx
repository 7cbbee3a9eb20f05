// legend.tsx - what the colours and patterns of a map mean, and the same map in words.
import {figure, mark} from '../../app/figures';
import {waits, type Sort} from './colouring';
import {patternUrl} from './hatches';
import {crossingsOf} from './names';
import type {Cell, Grid} from './sweep';
import type {Titles} from './panel';

function Swatch({sort, pattern}: {sort?: Sort; pattern?: string})
{
    return (
        <svg class="map-swatch" width="28" height="16" aria-hidden="true">
            {sort && <rect width="28" height="16" style={{fill: sort.colour, fillOpacity: sort.strength}} />}
            {sort && sort.pattern > 0 && <rect width="28" height="16" fill={patternUrl(sort.pattern)} />}
            {pattern && <rect width="28" height="16" fill={patternUrl(pattern)} />}
            <rect class="map-swatch-edge" width="28" height="16" />
        </svg>
    );
}

/** The sorts of a map in the order of their size; bands in their own order. */
function sortsOf(sorts: readonly Sort[]): Sort[]
{
    const counts = new Map<string, {sort: Sort; cells: number}>();
    for (const sort of sorts)
        counts.set(sort.id, {sort, cells: (counts.get(sort.id)?.cells ?? 0) + 1});
    const bands = sorts.some((sort) => sort.id.startsWith('band-'));
    return [...counts.values()].sort((a, b) => bands ? a.sort.id.localeCompare(b.sort.id) : b.cells - a.cells)
        .map(({sort}) => sort);
}

export function Legend({grid, sorts, titles}: {grid: Grid; sorts: readonly Sort[]; titles: Titles})
{
    return (
        <ul class="map-legend" aria-label="Legend">
            {sortsOf(sorts).map((sort) => (
                <li key={sort.id}><Swatch sort={sort} /> {sort.label}
                    <span class="soft">{[titles.get(sort.record ?? ''), sort.words].filter(Boolean).join(', ')}</span></li>
            ))}
            {grid.cells.some(waits) && <li><Swatch pattern="waits" /> more requests than the KV pool holds: the rest waits</li>}
            <li><svg class="map-swatch" width="28" height="16" aria-hidden="true"><path class="map-contour-sample" d="M0 8H28" /></svg>
                {' '}time per output token</li>
        </ul>
    );
}

const plain = (value: number) => mark(value, 'count');

function span(values: readonly number[], write: (value: number) => string): string
{
    const low = values.reduce((a, b) => Math.min(a, b), Infinity);
    const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    if (values.length === 0)
        return '–';
    return low === high ? write(low) : `${write(low)} to ${write(high)}`;
}

function RegionRow({grid, sort, cells}: {grid: Grid; sort: Sort; cells: readonly Cell[]})
{
    const tpot = cells.map((cell) => cell.tpot_ms).filter((value): value is number => value !== null);
    return (
        <tr>
            <th scope="row"><Swatch sort={sort} /> {sort.label}</th>
            <td class="number">{figure(cells.length / grid.cells.length, 'share')}</td>
            <td class="number">{span(cells.map((cell) => cell.x), plain)}</td>
            <td class="number">{span(cells.map((cell) => cell.y), plain)}</td>
            <td class="number">{span(tpot, (value) => figure(value, 'ms'))}</td>
        </tr>
    );
}

/** The regions of the map as a table. */
export function RegionTable({grid, sorts}: {grid: Grid; sorts: readonly Sort[]})
{
    return (
        <div class="scroll" tabIndex={0} role="region" aria-label="Regions of the map">
            <table>
                <thead>
                    <tr>
                        <th scope="col">Region</th><th scope="col" class="number">Of the map</th>
                        <th scope="col" class="number">{grid.x.kind.label}</th>
                        <th scope="col" class="number">{grid.y.kind.label}</th>
                        <th scope="col" class="number">Time per output token</th>
                    </tr>
                </thead>
                <tbody>
                    {sortsOf(sorts).map((sort) => (
                        <RegionRow key={sort.id} grid={grid} sort={sort}
                            cells={grid.cells.filter((_, i) => sorts[i]?.id === sort.id)} />
                    ))}
                </tbody>
            </table>
        </div>
    );
}

/** What changes on the way from the planned point, along either side. */
export function CrossingList({grid, sorts, spot}: {grid: Grid; sorts: readonly Sort[]; spot: {i: number; j: number}})
{
    const crossings = crossingsOf(grid, sorts, spot);
    if (crossings.length === 0)
        return <p>Along both lines through the planned point nothing changes.</p>;
    return (
        <ul>
            {crossings.map(({along, at, before, from, to}) => (
                <li key={`${along} ${at}`}>
                    {grid[along].kind.label} between {plain(before)} and {plain(at)}{grid[along].kind.unit ? ` ${grid[along].kind.unit}` : ''}:{' '}
                    {from.label} → <strong>{to.label}</strong>
                </li>
            ))}
        </ul>
    );
}
