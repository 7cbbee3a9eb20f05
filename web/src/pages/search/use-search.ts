// use-search.ts - asks for a search and follows how far it is.
import {useEffect, useState} from 'preact/hooks';
import {Problem} from '../../app/api';
import type {SearchLine, SearchResult} from '../../app/search';
import {streamLines} from '../../app/stream';

export interface Search {
    /** The newest result; while the next one is awaited, the one before it. */
    readonly result: SearchResult | null;
    readonly problem: Problem | null;
    /** How far the next result is, 0 to 1; null when nothing is awaited. */
    readonly progress: number | null;
}

const DELAY_MS = 250;

export function useSearch(asked: Record<string, unknown>): Search
{
    const [search, setSearch] = useState<Search>({result: null, problem: null, progress: 0});
    const body = JSON.stringify(asked);
    useEffect(() => {
        const controller = new AbortController();
        setSearch((before) => ({...before, progress: 0}));
        const onLines = (lines: unknown[]) => {
            for (const {progress, result} of lines as SearchLine[]) {
                if (progress)
                    setSearch((before) => ({...before, progress: progress.done / Math.max(progress.of, 1)}));
                if (result)
                    setSearch({result, problem: null, progress: null});
            }
        };
        const timer = setTimeout(() => {
            streamLines('/v1/search', JSON.parse(body), controller.signal, onLines).catch((error: unknown) => {
                if (controller.signal.aborted)
                    return;
                const problem = error instanceof Problem ? error : new Problem(0, 'the service does not answer', []);
                setSearch((before) => ({...before, problem, progress: null}));
            });
        }, DELAY_MS);
        return () => {
            clearTimeout(timer);
            controller.abort();
        };
    }, [body]);
    return search;
}
