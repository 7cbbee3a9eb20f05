// drawing.tsx - the map itself: coloured cells, their borders and names, contours of the time per token,
// the point that is planned and the cell that is looked at.
import {useMemo} from 'preact/hooks';
import {mark} from '../../app/figures';
import {axisScale, type AxisScale} from '../../charts/axis_scale';
import {useWidth} from '../../charts/width';
import {waits, type Sort} from './colouring';
import {contoursOf} from './contours';
import {Hatches, patternUrl} from './hatches';
import {bordersPath, cellsPath} from './regions';
import {cellAt, type Grid} from './sweep';
import {namesOf} from './names';

export interface Spot {
    readonly i: number;
    readonly j: number;
}

interface DrawingProps {
    readonly grid: Grid;
    readonly sorts: readonly Sort[];
    /** The values that are planned, where they are within the ranges. */
    readonly point: {readonly x: number; readonly y: number} | null;
    readonly cursor: Spot | null;
    readonly label: string;
    readonly onHover: (spot: Spot | null) => void;
    readonly onPin: (spot: Spot) => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
}

const MARGIN = {left: 64, right: 14, top: 26, bottom: 46};
const TEXT_HEIGHT = 18;

const axisTitle = ({kind}: Grid['x']) => kind.unit ? `${kind.label}, ${kind.unit}` : kind.label;
const tickText = (value: number) => mark(value, 'count');

function Axes({grid, x, y}: {grid: Grid; x: AxisScale; y: AxisScale})
{
    return (
        <g class="map-axes">
            {x.ticks.map((tick) => (
                <g key={tick} transform={`translate(${x.place(tick)} ${y.length})`}>
                    <line y2="5" /><text y="18" text-anchor="middle">{tickText(tick)}</text>
                </g>
            ))}
            {y.ticks.map((tick) => (
                <g key={tick} transform={`translate(0 ${y.length - y.place(tick)})`}>
                    <line x2="-5" /><text x="-8" dy=".32em" text-anchor="end">{tickText(tick)}</text>
                </g>
            ))}
            <text class="map-axis-title" x={x.length} y={y.length + 38} text-anchor="end">{axisTitle(grid.x)} →</text>
            <text class="map-axis-title" x={8 - MARGIN.left} y="-12">↑ {axisTitle(grid.y)}</text>
        </g>
    );
}

function Fills({grid, sorts, x, y}: {grid: Grid; sorts: readonly Sort[]; x: AxisScale; y: AxisScale})
{
    const kinds = [...new Map(sorts.map((sort) => [sort.id, sort])).values()];
    return (
        <g transform={`translate(0 ${y.length}) scale(1 -1)`} shape-rendering="crispEdges">
            {kinds.map((sort) => {
                const d = cellsPath((cell) => sorts[cell]?.id === sort.id, x, y);
                return (
                    <g key={sort.id}>
                        <path d={d} style={{fill: sort.colour, fillOpacity: sort.strength}} />
                        {sort.pattern > 0 && <path d={d} fill={patternUrl(sort.pattern)} />}
                    </g>
                );
            })}
            <path d={cellsPath((cell) => waits(grid.cells[cell]), x, y)} fill={patternUrl('waits')} />
            <path class="map-border" d={bordersPath((a, b) => sorts[a]?.id !== sorts[b]?.id, x, y)} />
            <path class="map-border map-border-waits"
                d={bordersPath((a, b) => waits(grid.cells[a]) !== waits(grid.cells[b]), x, y)} />
        </g>
    );
}

function Contours({lines}: {lines: ReturnType<typeof contoursOf>})
{
    return (
        <g class="map-contours">
            {lines.map((line) => <path key={line.key} d={line.path} />)}
        </g>
    );
}

function Point({place, x, y}: {place: {x: number; y: number}; x: AxisScale; y: AxisScale})
{
    const px = x.place(place.x), py = y.length - y.place(place.y);
    return (
        <g class="map-point">
            <line x1="0" x2={x.length} y1={py} y2={py} />
            <line x1={px} x2={px} y1="0" y2={y.length} />
            <circle cx={px} cy={py} r="6" /><circle class="map-point-core" cx={px} cy={py} r="2.5" />
        </g>
    );
}

function Cursor({spot, x, y}: {spot: Spot; x: AxisScale; y: AxisScale})
{
    const at = (scale: AxisScale, i: number) => scale.edges[i] ?? 0;
    const width = at(x, spot.i + 1) - at(x, spot.i), height = at(y, spot.j + 1) - at(y, spot.j);
    return <rect class="map-cursor" x={at(x, spot.i) - 1} y={y.length - at(y, spot.j + 1) - 1}
        width={width + 2} height={height + 2} />;
}

/** All that does not move with the cursor. */
function Ground({grid, sorts, point, x, y}: Pick<DrawingProps, 'grid' | 'sorts' | 'point'> & {x: AxisScale; y: AxisScale})
{
    const names = useMemo(() => namesOf(grid, sorts, point, x, y, TEXT_HEIGHT), [grid, sorts, point, x, y]);
    const lines = useMemo(() => contoursOf(grid, x, y, names.map((name) => name.box)), [grid, x, y, names]);
    return (
        <>
            <Fills grid={grid} sorts={sorts} x={x} y={y} />
            <Contours lines={lines} />
            {point && <Point place={point} x={x} y={y} />}
            <g class="map-texts">
                {lines.filter((line) => line.label).map((line) => (
                    <text key={line.key} class="map-contour-name" x={line.label?.x} y={line.label?.y}
                        dy=".32em">{line.text}</text>
                ))}
                {names.map((name) => (
                    <text key={name.key} class={`map-name map-name-${name.kind}`} x={name.box.x} y={name.box.y}
                        dy=".32em">{name.text}</text>
                ))}
            </g>
            <Axes grid={grid} x={x} y={y} />
        </>
    );
}

export function Drawing({grid, sorts, point, cursor, label, onHover, onPin, onKeyDown}: DrawingProps)
{
    const [box, width] = useWidth<HTMLDivElement>(0);
    const height = Math.round(Math.max(340, Math.min(620, width * 0.62)));
    const inner = {width: Math.max(width - MARGIN.left - MARGIN.right, 10), height: height - MARGIN.top - MARGIN.bottom};
    const x = useMemo(() => axisScale(grid.xs, grid.x.kind.scale !== 'linear', inner.width, inner.width / 62),
        [grid, inner.width]);
    const y = useMemo(() => axisScale(grid.ys, grid.y.kind.scale !== 'linear', inner.height, inner.height / 40),
        [grid, inner.height]);
    const spotOf = (event: PointerEvent): Spot | null => {
        const area = box.current?.getBoundingClientRect();
        if (!area)
            return null;
        const px = event.clientX - area.left - MARGIN.left, py = event.clientY - area.top - MARGIN.top;
        const inside = px >= 0 && px <= x.length && py >= 0 && py <= y.length;
        const spot = {i: x.cellOf(px), j: y.cellOf(y.length - py)};
        return inside && cellAt(grid, spot.i, spot.j) ? spot : null;
    };
    return (
        <div ref={box} class="map-canvas" tabIndex={0} role="application" aria-roledescription="map" aria-label={label}
            aria-describedby="map-help" style={{minHeight: `${height}px`}} onKeyDown={onKeyDown}
            onPointerMove={(event) => event.pointerType === 'mouse' && onHover(spotOf(event))}
            onPointerLeave={() => onHover(null)}
            onClick={(event) => {
                const spot = spotOf(event as unknown as PointerEvent);
                if (spot)
                    onPin(spot);
            }}>
            {width > 0 && (
                <svg class="map-drawing" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
                    <Hatches />
                    <g transform={`translate(${MARGIN.left} ${MARGIN.top})`}>
                        <Ground grid={grid} sorts={sorts} point={point} x={x} y={y} />
                        {cursor && <Cursor spot={cursor} x={x} y={y} />}
                    </g>
                </svg>
            )}
        </div>
    );
}
