// stream.ts - answers that come line by line (NDJSON), with how far they are.
import {problemOf} from './api';

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
