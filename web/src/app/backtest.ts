// backtest.ts - what /v1/backtest replies: predictions beside measurements, and how far off they are.
import {useEffect, useState} from 'preact/hooks';
import {ask, problemFrom, type Problem} from './api';

export type LeftOut = 'nothing' | 'run' | 'cell' | 'model';

export interface Predicted {
    readonly predicted: number;
    /** predicted/measured - 1 */
    readonly error: number;
    readonly low: number | null;
    readonly high: number | null;
    readonly inside: boolean | null;
    readonly tier: string;
}

export interface BacktestRow {
    readonly anchor: string;
    readonly metric: string;
    readonly unit: string;
    readonly measured: number;
    readonly left_out: Partial<Record<LeftOut, Predicted>>;
    readonly conditions: Readonly<Record<string, string | number | null | undefined>>;
    readonly explanation: {readonly cause: string; readonly why: string;
        readonly source: {readonly title: string | null; readonly url: string | null} | null} | null;
    readonly links: {readonly anchor: string | null; readonly plan: string | null};
}

export interface Errors {
    readonly n: number;
    readonly median: number | null;
    readonly p90: number | null;
    readonly bias: number | null;
    readonly inside: number | null;
}

export interface BacktestGroup {
    readonly by: string;
    readonly value: string;
    readonly metric: string;
    readonly n: number;
    readonly left_out: Partial<Record<LeftOut, Errors>>;
}

export interface Backtest {
    readonly set: string;
    readonly note: string;
    readonly groups: readonly BacktestGroup[];
    readonly left_out: LeftOut;
    readonly items: readonly BacktestRow[];
    readonly total: number;
    readonly next_cursor: string | null;
}

const PAGE_ROWS = 1000;

interface AllRows {
    readonly reply: Backtest | null;
    /** The rows of all pages that are there. */
    readonly rows: readonly BacktestRow[];
    readonly problem: Problem | null;
    readonly waiting: boolean;
}

const NOTHING: AllRows = {reply: null, rows: [], problem: null, waiting: true};

/** Asks page after page, the rows farthest off first. */
async function askAll(query: URLSearchParams, signal: AbortSignal, tell: (rows: AllRows) => void): Promise<void>
{
    let rows: readonly BacktestRow[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
        const asked = new URLSearchParams(query);
        asked.set('limit', String(PAGE_ROWS));
        if (cursor)
            asked.set('cursor', cursor);
        const reply: Backtest = await ask<Backtest>(`/v1/backtest?${asked.toString()}`, {signal});
        rows = [...rows, ...reply.items];
        cursor = reply.next_cursor;
        tell({reply, rows, problem: null, waiting: cursor !== null});
    }
}

/** Every row of a backtest; null asks nothing. */
export function useAllRows(query: URLSearchParams): AllRows
{
    const [all, setAll] = useState(NOTHING);
    const text = query.toString();
    useEffect(() => {
        const controller = new AbortController();
        setAll((before) => ({...before, waiting: true}));
        askAll(new URLSearchParams(text), controller.signal, setAll).catch((error: unknown) => {
            if (!controller.signal.aborted)
                setAll({...NOTHING, waiting: false,
                    problem: problemFrom(error)});
        });
        return () => controller.abort();
    }, [text]);
    return all;
}
