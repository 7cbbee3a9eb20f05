// stream.ts - answers that come line by line (NDJSON), with how far they are.
import {useEffect, useState} from 'preact/hooks';
import {problemFrom, problemOf, useRetries, type Problem} from './api';

const BUSY = 503;
const TRIES = 5;

const pause = (ms: number, signal: AbortSignal) => new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
    }, {once: true});
});

/** Posts a question; asks again where the service has too many of its kind under way. */
async function post(path: string, body: unknown, signal: AbortSignal): Promise<Response>
{
    for (let tries = 1; ; tries++) {
        const response = await fetch(path, {
            method: 'POST',
            headers: {Accept: 'application/x-ndjson', 'Content-Type': 'application/json'},
            body: JSON.stringify(body),
            signal,
        });
        if (response.ok)
            return response;
        if (response.status !== BUSY || tries === TRIES || signal.aborted)
            throw await problemOf(response);
        await pause(1000 * Number(response.headers.get('Retry-After') ?? 1), signal);
    }
}

/**
 * Posts a question and hands over the lines of the answer, parsed, those of a piece at once. Ends when
 * the answer does; throws a Problem where the API says no.
 */
export async function streamLines(path: string, body: unknown, signal: AbortSignal,
    onLines: (lines: unknown[]) => void): Promise<void>
{
    const response = await post(path, body, signal);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
        const piece = await reader?.read();
        if (!piece || piece.done)
            break;
        const lines = (rest + piece.value).split('\n');
        rest = lines.pop() ?? '';
        onLines(lines.filter(Boolean).map((line) => JSON.parse(line) as unknown));
    }
    if (rest)
        onLines([JSON.parse(rest) as unknown]);
}

export interface Streamed<T> {
    /** The newest result; while the next one is awaited, the one before it. */
    readonly result: T | null;
    readonly problem: Problem | null;
    /** How much of the next result is there, 0 to 1; null when nothing is awaited. */
    readonly progress: number | null;
}

/**
 * The result of a question (the text of a body), asked again when it changes, `delay` ms after it stands
 * still; a question that is outdated is given up. null asks nothing.
 */
export function useStreamed<T>(question: string | null, delay: number,
    read: (body: unknown, signal: AbortSignal, onProgress: (share: number) => void) => Promise<T>): Streamed<T>
{
    const [streamed, setStreamed] = useState<Streamed<T>>({result: null, problem: null, progress: 0});
    const tries = useRetries(streamed.problem);
    useEffect(() => {
        if (question === null)
            return;
        const controller = new AbortController();
        const progress = (share: number) => setStreamed((before) => ({...before, progress: share}));
        progress(0);
        const timer = setTimeout(async () => {
            try {
                const result = await read(JSON.parse(question), controller.signal, progress);
                setStreamed({result, problem: null, progress: null});
            } catch (error) {
                if (!controller.signal.aborted)
                    setStreamed((before) => ({...before, problem: problemFrom(error), progress: null}));
            }
        }, delay);
        return () => {
            clearTimeout(timer);
            controller.abort();
        };
    }, [question, tries]);
    return streamed;
}
