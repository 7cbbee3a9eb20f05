// curl.ts - questions as commands for a terminal.

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A question of the API: a path of it, with a body a POST. */
export function curlOf(path: string, body?: unknown): string
{
    const address = `curl ${shellWord(location.origin + path)}`;
    return body === undefined ? address : `${address} --json ${shellWord(JSON.stringify(body))}`;
}
