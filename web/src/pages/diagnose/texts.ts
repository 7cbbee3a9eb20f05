// texts.ts - texts that were pasted: what each one looks like. They stay in this tab and in no address.

export type TextKind = 'metrics' | 'log' | 'smi';

export interface PastedText {
    readonly id: number;
    readonly name: string;
    readonly kind: TextKind;
    readonly text: string;
}

export const KINDS: readonly {readonly kind: TextKind; readonly label: string}[] = [
    {kind: 'metrics', label: 'scrape of /metrics'},
    {kind: 'log', label: 'engine log'},
    {kind: 'smi', label: 'nvidia-smi, dmon'},
];

const METRIC = /^(# (HELP|TYPE) |[a-zA-Z_:][\w:]*(\{[^}]*\})? [-+.\dNI])/;
const SMI = /NVIDIA-SMI|ROCm System Management|^#\s*(Date|gpu)\b|^index,|utilization\.gpu|^GPU\d+\s+|Clocks (Throttle|Event) Reasons/m;

const HEAD = 20_000;
const LINES = 200;

/** What a text is by the look of its beginning; the service decides what it is in the end. */
export function kindOf(text: string): TextKind
{
    const head = text.slice(0, HEAD);
    if (SMI.test(head))
        return 'smi';
    const lines = head.split('\n').map((line) => line.trim()).filter(Boolean).slice(0, LINES);
    const metrics = lines.filter((line) => METRIC.test(line)).length;
    return metrics * 2 > lines.length ? 'metrics' : 'log';
}

let lastId = 0;

export function pastedText(text: string, name: string): PastedText
{
    return {id: ++lastId, name, kind: kindOf(text), text};
}

export const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '').length;
