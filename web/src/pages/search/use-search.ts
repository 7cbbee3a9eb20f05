// use-search.ts - asks for a search and follows how far it is.
import {Problem} from '../../app/api';
import type {SearchLine, SearchResult} from '../../app/search';
import {streamLines, useStreamed, type Streamed} from '../../app/stream';

const DELAY_MS = 250;

async function fetchResult(body: unknown, signal: AbortSignal, onProgress: (share: number) => void): Promise<SearchResult>
{
    let found: SearchResult | null = null;
    await streamLines('/v1/search', body, signal, (lines) => {
        for (const {progress, result} of lines as SearchLine[]) {
            if (progress)
                onProgress(progress.done / Math.max(progress.of, 1));
            found = result ?? found;
        }
    });
    if (!found)
        throw new Problem(502, 'the search broke off', []);
    return found;
}

export function useSearch(asked: Record<string, unknown>): Streamed<SearchResult>
{
    return useStreamed(JSON.stringify(asked), DELAY_MS, fetchResult);
}
