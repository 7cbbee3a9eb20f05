// api.ts - asks the public API, the only door the pages have.
import {useEffect, useState} from 'preact/hooks';

/** One fault of a request, as problem documents list them (RFC 9457). */
export interface Fault {
    pointer: string;
    detail: string;
    suggestion?: string | null;
}

/** The fault that is about a member of the body, or about one in its list. */
export function faultAt(faults: readonly Fault[], pointer: string): Fault | null
{
    return faults.find((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`)) ?? null;
}

export class Problem extends Error {
    constructor(readonly status: number, readonly title: string, readonly faults: Fault[])
    {
        super(title);
    }
}

/** The problem that a refused request describes. */
export async function problemOf(response: Response): Promise<Problem>
{
    try {
        const body = await response.json() as {title?: string; detail?: string; errors?: Fault[]};
        return new Problem(response.status, body.detail ?? body.title ?? response.statusText, body.errors ?? []);
    } catch {
        return new Problem(response.status, response.statusText || `status ${response.status}`, []);
    }
}

/** Asks for JSON; a body makes it a POST. Throws a Problem where the API says no. */
export async function ask<T>(path: string, options: {body?: unknown; signal?: AbortSignal} = {}): Promise<T>
{
    const init: RequestInit = {headers: {Accept: 'application/json'}, signal: options.signal ?? null};
    if (options.body !== undefined) {
        init.method = 'POST';
        init.headers = {Accept: 'application/json', 'Content-Type': 'application/json'};
        init.body = JSON.stringify(options.body);
    }
    const response = await fetch(path, init);
    if (!response.ok && !(response.status === 409 && response.headers.get('Content-Type')?.includes('json')))
        throw await problemOf(response);
    return await response.json() as T;
}

/** What went wrong, whatever was thrown: a refusal of the API, or nobody there. */
export function problemFrom(error: unknown): Problem
{
    return error instanceof Problem ? error : new Problem(0, 'the service does not answer and is asked again', []);
}

const RETRY_MS = 3000;

/** Counts up while nobody answers: a question is then asked again. */
export function useRetries(problem: Problem | null): number
{
    const [tries, setTries] = useState(0);
    const silent = problem?.status === 0;
    useEffect(() => {
        if (!silent)
            return;
        const timer = setInterval(() => setTries((before) => before + 1), RETRY_MS);
        return () => clearInterval(timer);
    }, [silent]);
    return tries;
}

interface Answer<T> {
    /** The newest answer; while the next one is awaited, the one before it. */
    readonly data: T | null;
    readonly problem: Problem | null;
    readonly waiting: boolean;
}

/**
 * The answer to a question, asked again whenever it changes, `delay` ms after it stands still. The
 * question is a path, or a path and a body; null asks nothing.
 */
export function useAnswer<T>(path: string | null, body?: unknown, delay = 0): Answer<T>
{
    const [answer, setAnswer] = useState<Answer<T>>({data: null, problem: null, waiting: path !== null});
    const tries = useRetries(answer.problem);
    const bodyText = body === undefined ? undefined : JSON.stringify(body);
    useEffect(() => {
        if (path === null)
            return;
        const controller = new AbortController();
        setAnswer((before) => ({...before, waiting: true}));
        const timer = setTimeout(async () => {
            try {
                const data = await ask<T>(path, {
                    body: bodyText === undefined ? undefined : JSON.parse(bodyText),
                    signal: controller.signal,
                });
                setAnswer({data, problem: null, waiting: false});
            } catch (error) {
                if (controller.signal.aborted)
                    return;
                setAnswer((before) => ({data: before.data, problem: problemFrom(error), waiting: false}));
            }
        }, delay);
        return () => {
            clearTimeout(timer);
            controller.abort();
        };
    }, [path, bodyText, delay, tries]);
    return answer;
}
