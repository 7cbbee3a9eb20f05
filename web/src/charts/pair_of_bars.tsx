// pair_of_bars.tsx - two figures of one thing as bars under its name: before and after, measured and planned.
import type {ComponentChildren} from 'preact';

export const PAIR_HEIGHT = 44;
const BAR = 11;
const FIRST = 17;
const ROOM = 84;

export interface PairBar {
    readonly name: string;
    readonly value: number;
    /** The figure as it is written behind the bar. */
    readonly text: string;
    /** Drawn pale: the one that is compared with. */
    readonly pale: boolean;
    /** Laid over the bar: the address of a pattern. */
    readonly hatch?: string | null;
}

interface PairProps {
    readonly name: string;
    readonly colour: string;
    /** Said at the right end: what differs. */
    readonly note: ComponentChildren;
    /** Both in words. */
    readonly title: string;
    readonly bars: readonly PairBar[];
    readonly y: number;
    readonly width: number;
    /** The figure of the longest bar. */
    readonly most: number;
    /** Room for the figure behind the longest bar. */
    readonly room?: number;
    /** Makes it a button. */
    readonly onPick?: () => void;
}

/** What is pressed, and said instead of what is drawn. */
function Target({title, width, onPick}: {title: string; width: number; onPick: () => void})
{
    return (
        <g role="button" tabindex={0} aria-label={title} aria-haspopup="dialog" class="pair mark" onClick={onPick}
            onKeyDown={(event) => {
                if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    onPick();
                }
            }}>
            <title>{title}</title>
            <rect class="pair-target" x={0} y={-2} width={width} height={PAIR_HEIGHT} rx={4} />
        </g>
    );
}

export function PairOfBars({name, colour, note, title, bars, y, width, most, room = ROOM, onPick}: PairProps)
{
    return (
        <g transform={`translate(0 ${y})`}>
            {onPick ? <Target title={title} width={width} onPick={onPick} /> : <title>{title}</title>}
            <g aria-hidden={onPick ? true : undefined} pointer-events={onPick ? 'none' : undefined}>
                <text class="chart-text" x={0} y={12}>{name}</text>
                <text class="chart-text chart-soft" x={width} y={12} text-anchor="end">{note}</text>
                {bars.map((bar, i) => {
                    const length = Math.max((bar.value / most) * (width - room), bar.value > 0 ? 1 : 0);
                    const box = {x: 0, y: FIRST + i * (BAR + 1), width: length, height: BAR};
                    return (
                        <g key={bar.name}>
                            <rect {...box} fill={colour} fill-opacity={bar.pale ? 0.45 : 1} />
                            {bar.hatch && <rect {...box} fill={bar.hatch} />}
                            <text class="chart-text chart-soft" x={length + 4} y={box.y + BAR - 1.5} font-size="11">{bar.text}</text>
                        </g>
                    );
                })}
            </g>
        </g>
    );
}
