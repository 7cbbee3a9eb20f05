// sweep.ts - the plans of a map: asked of the API as one sweep, line by line.
import {Problem} from '../../app/api';
import {streamLines, useStreamed, type Streamed} from '../../app/stream';
import type {Request} from '../../app/plan';
import {requestOf} from '../../app/plan-question';
import {axisValues, leafOf, type Axis, type MapSettings} from './axes';

const DELAY_MS = 120;

/** The columns that a cell shows; all of them come with every point. */
const COLUMNS = ['regime', 'dominant_class', 'dominant_phase', 'dominant_pass', 'dominant_bound', 'dominant_share',
    'basis', 'ttft_ms', 'ttft_ms_low', 'ttft_ms_high', 'tpot_ms', 'tpot_ms_low', 'tpot_ms_high', 'output_tok_s',
    'per_user_tok_s', 'output_tok_s_per_device', 'devices', 'decode_batch', 'kv_token_capacity', 'max_concurrency',
    'fits'] as const;

export interface Cell {
    readonly x: number;
    readonly y: number;
    readonly regime: string | null;
    readonly dominant_class: string | null;
    readonly dominant_phase: string | null;
    readonly dominant_pass: string | null;
    readonly dominant_bound: string | null;
    readonly dominant_share: number | null;
    readonly basis: string | null;
    readonly ttft_ms: number | null;
    readonly ttft_ms_low: number | null;
    readonly ttft_ms_high: number | null;
    readonly tpot_ms: number | null;
    readonly tpot_ms_low: number | null;
    readonly tpot_ms_high: number | null;
    readonly output_tok_s: number | null;
    readonly per_user_tok_s: number | null;
    readonly output_tok_s_per_device: number | null;
    readonly devices: number | null;
    readonly decode_batch: number | null;
    readonly kv_token_capacity: number | null;
    readonly max_concurrency: number | null;
    readonly fits: boolean | null;
    /** Why there is no plan; null where there is one. */
    readonly why: string | null;
}

interface SweepBody {
    readonly base: unknown;
    readonly axes: Readonly<Record<string, readonly number[]>>;
    readonly columns: readonly string[];
    readonly replay: boolean;
}

/** Loads are replayed as a plan does, so that a cell says what the plan says. */
function sweepBody(query: URLSearchParams, planned: Request, settings: MapSettings): SweepBody
{
    const values = (axis: Axis) => axisValues(axis, settings.detail, leafOf(planned, axis.kind));
    return {
        base: requestOf(query),
        axes: {[settings.x.kind.pointer]: values(settings.x), [settings.y.kind.pointer]: values(settings.y)},
        columns: COLUMNS,
        replay: true,
    };
}

/** Cells row by row: the second axis turns fastest. */
export interface Grid {
    readonly x: Axis;
    readonly y: Axis;
    readonly xs: readonly number[];
    readonly ys: readonly number[];
    readonly cells: readonly Cell[];
}

type Line = Record<string, string | number | boolean | null | {points: number; of: number}>;

function gridOf(settings: MapSettings, cells: readonly Cell[]): Grid
{
    const ys: number[] = [];
    const xs: number[] = [];
    for (const cell of cells) {
        if (cell.x === cells[0]?.x)
            ys.push(cell.y);
        if (cell.x !== xs[xs.length - 1])
            xs.push(cell.x);
    }
    return {x: settings.x, y: settings.y, xs, ys, cells};
}

export const cellAt = (grid: Grid, i: number, j: number): Cell | undefined => grid.cells[i * grid.ys.length + j];

async function fetchCells(body: SweepBody, settings: MapSettings, signal: AbortSignal,
    onProgress: (share: number) => void): Promise<Cell[]>
{
    const cells: Cell[] = [];
    await streamLines('/v1/sweep?progress=1', body, signal, (lines) => {
        for (const line of lines as Line[]) {
            const {[settings.x.kind.pointer]: x, [settings.y.kind.pointer]: y, progress, ...rest} = line;
            if (typeof progress === 'object' && progress)
                onProgress(progress.points / progress.of);
            else
                cells.push({...rest, x, y} as unknown as Cell);
        }
    });
    const asked = Object.values(body.axes).reduce((product, values) => product * values.length, 1);
    if (cells.length < asked)
        throw new Problem(502, 'the answer broke off', []);
    return cells;
}

/** The grid of the settings, asked again when they change. */
export function useSweep(query: URLSearchParams, planned: Request | null, settings: MapSettings): Streamed<Grid>
{
    const question = planned ? JSON.stringify(sweepBody(query, planned, settings)) : null;
    return useStreamed(question, DELAY_MS, async (body, signal, onProgress) =>
        gridOf(settings, await fetchCells(body as SweepBody, settings, signal, onProgress)));
}
