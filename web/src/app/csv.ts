// csv.ts - reads tables as the API writes them (RFC 4180).

/** The rows of a table, each by the names of its header. */
export function readCsv(text: string): Record<string, string>[]
{
    const rows: string[][] = [[]];
    // A cell, quoted or not, and what ends it.
    for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
        const row = rows[rows.length - 1] as string[];
        row.push(quoted === undefined ? bare ?? '' : quoted.replaceAll('""', '"'));
        if (end !== ',')
            rows.push([]);
    }
    const [names = [], ...body] = rows;
    return body.filter((row) => row.length === names.length)
        .map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? ''])));
}
