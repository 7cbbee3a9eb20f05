// page.tsx - the map of regimes: what a deployment waits for, over any two of its settings.
import {useEffect, useMemo, useState} from 'preact/hooks';
import {useAnswer, type Problem} from '../../app/api';
import {addressOf, navigate} from '../../app/location';
import type {Plan} from '../../app/plan';
import {planQuery} from '../../app/plan-query';
import {questionOf} from '../../app/plan-question';
import type {PageProps} from '../../app/pages';
import {Frame} from '../../charts/frame';
import {LostNote} from '../plan/intake';
import {labelWithin, leafOf, settingsOf, type MapSettings} from './axes';
import {colouringOf, sortCells, type Sort} from './colouring';
import {Controls} from './controls';
import {Drawing, type Spot} from './drawing';
import {CrossingList, Legend, RegionTable} from './legend';
import {Panel, placeWords, type Titles} from './panel';
import {cellAt, useSweep, type Cell, type Grid} from './sweep';

interface Titled {
    readonly items: readonly {readonly id: string; readonly title: string}[];
}

function useTitles(): Titles
{
    const regimes = useAnswer<Titled>('/v1/regimes?limit=100');
    const classes = useAnswer<Titled>('/v1/classes?limit=100');
    return useMemo(() => new Map([...regimes.data?.items ?? [], ...classes.data?.items ?? []]
        .map(({id, title}) => [id, title])), [regimes.data, classes.data]);
}

/** The planned point: its values, and its cell where it is on the map. */
function pointOf(grid: Grid | null, plan: Plan | null): {x: number; y: number; spot: Spot} | null
{
    if (!grid || !plan)
        return null;
    const x = leafOf(plan.request, grid.x.kind) as number, y = leafOf(plan.request, grid.y.kind) as number;
    const spot = {i: grid.xs.indexOf(x), j: grid.ys.indexOf(y)};
    return spot.i < 0 || spot.j < 0 ? null : {x, y, spot};
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1],
};
const LEAP = 5;

function moved(grid: Grid, from: Spot, event: KeyboardEvent): Spot | null
{
    const step = STEPS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey)
        return null;
    const far = event.shiftKey ? LEAP : 1;
    const clamp = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
    return {i: clamp(from.i + step[0] * far, grid.xs.length), j: clamp(from.j + step[1] * far, grid.ys.length)};
}

function Faults({problem}: {problem: Problem})
{
    return (
        <div class="card map-faults" role="alert">
            <p class="fault">{problem.title}</p>
            {problem.faults.length > 0 && <ul>{problem.faults.map((fault) =>
                <li key={fault.pointer}><span class="mono">{fault.pointer}</span> {fault.detail}</li>)}</ul>}
        </div>
    );
}

const sideWords = (settings: MapSettings) =>
    `${settings.x.kind.label} across, ${labelWithin(settings.y.kind)} up`;

interface MapProps {
    readonly grid: Grid;
    readonly sorts: readonly Sort[];
    readonly point: ReturnType<typeof pointOf>;
    readonly settings: MapSettings;
    readonly plan: URLSearchParams;
    readonly query: URLSearchParams;
    readonly titles: Titles;
    readonly progress: number | null;
    readonly embed: boolean;
}

/** The figures of the map as rows, under the names that a plan's query has. */
function rowsOf(grid: Grid)
{
    return grid.cells.map(({x, y, ...rest}) => ({[grid.x.kind.leaf]: x, [grid.y.kind.leaf]: y, ...rest}));
}

function useCursor(grid: Grid, point: Spot | null)
{
    const [hover, setHover] = useState<Spot | null>(null);
    const [pinned, setPinned] = useState<Spot | null>(null);
    useEffect(() => {
        setHover(null);
        setPinned(null);
    }, [grid.x.kind, grid.y.kind, grid.xs.length, grid.ys.length]);
    const spot = hover ?? pinned ?? point ?? {i: 0, j: 0};
    const valid = cellAt(grid, spot.i, spot.j) ? spot : {i: 0, j: 0};
    return {spot: valid, setHover, setPinned};
}

function MapView({grid, sorts, point, settings, plan, query, titles, progress, embed}: MapProps)
{
    const {spot, setHover, setPinned} = useCursor(grid, point?.spot ?? null);
    const cell = cellAt(grid, spot.i, spot.j) as Cell;
    const colouring = colouringOf(settings.colour);
    const isPoint = point !== null && spot.i === point.spot.i && spot.j === point.spot.j;
    const here = new URLSearchParams(query);
    here.set(grid.x.kind.leaf, String(cell.x));
    here.set(grid.y.kind.leaf, String(cell.y));
    const onKeyDown = (event: KeyboardEvent) => {
        const next = moved(grid, spot, event);
        if (next) {
            event.preventDefault();
            setHover(null);
            setPinned(next);
        } else if (event.key === 'Enter') {
            navigate(addressOf('/map', here), {replace: true});
        } else if (event.key === 'Escape') {
            setPinned(null);
        }
    };
    return (
        <div class={embed ? 'map-embed' : 'map-main'}>
            <Frame id="map" title={`${colouring.title}: ${sideWords(settings)}`} embed={embed} rows={() => rowsOf(grid)}
                words={<>{grid.cells.length.toLocaleString('en-US')} plans, coloured by {colouring.label}.{' '}
                    {point ? 'The ring is the planned point.' : 'The planned point is beyond these ranges.'}
                    {!embed && <span id="map-help"> Arrow keys walk, Shift leaps, Enter marks the point.</span>}</>}>
                <progress class="map-progress" max="1" value={progress ?? 1} aria-label="Plans computed"
                    hidden={progress === null} />
                <div class={progress === null ? '' : 'map-stale'}>
                    <Drawing grid={grid} sorts={sorts} point={point} cursor={spot} onHover={setHover} onPin={setPinned}
                        onKeyDown={onKeyDown} label={`${sideWords(settings)}. At ${placeWords(grid, cell)}`} />
                </div>
                <Legend grid={grid} sorts={sorts} titles={titles} />
            </Frame>
            {!embed && <Panel grid={grid} cell={cell} titles={titles} plan={plan} here={addressOf('/map', here)} isPoint={isPoint} />}
        </div>
    );
}

export default function MapPage({place, embed}: PageProps)
{
    const settings = settingsOf(place.query);
    const plan = planQuery(place.query);
    const titles = useTitles();
    const question = questionOf('/v1/plan', plan);
    const planned = useAnswer<Plan>(question.path, question.body);
    const {result: grid, problem, progress} = useSweep(plan, planned.waiting || planned.problem ? null : planned.data?.request ?? null, settings);
    const colouring = colouringOf(settings.colour);
    const sorts = useMemo(() => grid ? sortCells(grid.cells, colouring) : [], [grid, colouring]);
    const point = useMemo(() => pointOf(grid, planned.data), [grid, planned.data]);
    const bad = planned.problem ?? problem;

    return (
        <>
            {!embed && <h1>Where it moves</h1>}
            {!embed && <Controls settings={settings} plan={plan} problem={planned.problem} />}
            <LostNote query={plan} />
            {bad && <Faults problem={bad} />}
            {grid ? (
                <MapView grid={grid} sorts={sorts} point={point} settings={settings} plan={plan} query={place.query}
                    titles={titles} progress={progress} embed={embed} />
            ) : !bad && (
                <div class="card map-loading"><progress max="1" value={progress ?? 0} aria-label="Plans computed" /></div>
            )}
            {grid && !embed && (
                <section class="card map-words" aria-labelledby="map-words-title">
                    <h2 id="map-words-title">The map in words</h2>
                    <RegionTable grid={grid} sorts={sorts} />
                    {point && <h3>From the planned point</h3>}
                    {point && <CrossingList grid={grid} sorts={sorts} spot={point.spot} />}
                </section>
            )}
        </>
    );
}
