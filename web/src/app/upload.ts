// upload.ts - sends a file as it is, and how much of it has gone. The file is read by the browser while
// it is sent, so that its size costs the page nothing.
import {useEffect, useState} from 'preact/hooks';
import {Problem, type Fault} from './api';

export interface Upload<T> {
    /** The newest answer; while the next one is awaited, the one before it. */
    readonly data: T | null;
    readonly problem: Problem | null;
    /** How much of the file has gone, 0 to 1; 1 while the answer is awaited; null when nothing is. */
    readonly sent: number | null;
}

/** The problem document of a refusal, or what can be said without one. */
function refusalOf(request: XMLHttpRequest): Problem
{
    try {
        const body = JSON.parse(request.responseText) as {title?: string; detail?: string; errors?: Fault[]};
        return new Problem(request.status, body.detail ?? body.title ?? request.statusText, body.errors ?? []);
    } catch {
        return new Problem(request.status, request.statusText || `status ${request.status}`, []);
    }
}

interface SendOptions {
    readonly accept?: string;
    readonly token?: string;
    readonly signal?: AbortSignal;
    readonly onSent?: (share: number) => void;
}

/** Posts a file; the text of the answer. Throws a Problem where the API says no or nobody answers. */
export function sendFile(path: string, file: Blob, options: SendOptions = {}): Promise<string>
{
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open('POST', path);
        request.setRequestHeader('Accept', options.accept ?? 'application/json');
        request.setRequestHeader('Content-Type', 'application/octet-stream');
        if (options.token)
            request.setRequestHeader('Authorization', `Bearer ${options.token}`);
        request.upload.onprogress = (event) => options.onSent?.(event.total > 0 ? event.loaded / event.total : 1);
        request.onload = () => (request.status >= 200 && request.status < 300
            ? resolve(request.responseText) : reject(refusalOf(request)));
        request.onerror = () => reject(new Problem(0, 'the service does not answer, or broke the upload off', []));
        request.onabort = () => reject(new Problem(0, 'the upload was given up', []));
        options.signal?.addEventListener('abort', () => request.abort(), {once: true});
        request.send(file);
    });
}

/** What went wrong with an upload, whatever was thrown. */
export const problemOfUpload = (error: unknown): Problem =>
    (error instanceof Problem ? error : new Problem(0, 'the answer cannot be read', []));

/**
 * The answer to a file sent to a path, sent again when either changes or `turn` does, `delay` ms after
 * they stand still. Null sends nothing.
 */
export function useUpload<T>(path: string, file: Blob | null, turn: number, delay: number): Upload<T>
{
    const [upload, setUpload] = useState<Upload<T>>({data: null, problem: null, sent: null});
    useEffect(() => {
        if (!file) {
            setUpload({data: null, problem: null, sent: null});
            return;
        }
        const controller = new AbortController();
        setUpload((before) => ({...before, sent: 0}));
        const timer = setTimeout(async () => {
            try {
                const onSent = (sent: number) => setUpload((before) => ({...before, sent}));
                const text = await sendFile(path, file, {signal: controller.signal, onSent});
                setUpload({data: JSON.parse(text) as T, problem: null, sent: null});
            } catch (error) {
                if (controller.signal.aborted)
                    return;
                setUpload({data: null, problem: problemOfUpload(error), sent: null});
            }
        }, delay);
        return () => {
            clearTimeout(timer);
            controller.abort();
        };
    }, [path, file, turn, delay]);
    return upload;
}
