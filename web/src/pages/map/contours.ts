// contours.ts - the lines of equal time per output token, and where their labels stand.
import {digits} from '../../app/figures';
import type {AxisScale} from '../../charts/axis_scale';
import {isolines, levels, type GridPoint} from '../../charts/isolines';
import {overlap, type Box} from './regions';
import {cellAt, type Grid} from './sweep';

interface Contour {
    readonly key: string;
    readonly text: string;
    readonly path: string;
    readonly label: {readonly x: number; readonly y: number} | null;
}

const LEAST = 4;
const MOST = 8;
const SHORTEST = 70;
const CHARACTER = 6.6;

type Pixel = readonly [number, number];

const lengthOf = (line: readonly Pixel[]) => line.reduce((sum, [px, py], i) => {
    const before = line[i - 1];
    return before ? sum + Math.hypot(px - before[0], py - before[1]) : sum;
}, 0);

/** A place on the line, near its middle, where the text covers no other. */
function labelPlace(line: readonly Pixel[], text: string, taken: Box[], area: Box): Box | null
{
    const width = text.length * CHARACTER + 6;
    for (const share of [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) {
        const [x, y] = line[Math.floor((line.length - 1) * share)] ?? [0, 0];
        const box = {x, y, width, height: 15};
        const inside = x - width / 2 > 0 && x + width / 2 < area.width && y > 9 && y < area.height - 9;
        if (inside && !taken.some((other) => overlap(box, other)))
            return box;
    }
    return null;
}

/** Contours at round values; `taken` are boxes that labels keep clear of. */
export function contoursOf(grid: Grid, x: AxisScale, y: AxisScale, taken: readonly Box[]): Contour[]
{
    const at = (i: number, j: number) => {
        const cell = cellAt(grid, i, j);
        return cell && cell.why === null && cell.fits !== false ? cell.tpot_ms : null;
    };
    let low = Infinity, high = 0;
    for (let i = 0; i < grid.xs.length; i++)
        for (let j = 0; j < grid.ys.length; j++) {
            low = Math.min(low, at(i, j) ?? low);
            high = Math.max(high, at(i, j) ?? high);
        }
    const all = levels(low, high, LEAST);
    const chosen = all.filter((_, i) => i % Math.ceil(all.length / MOST) === 0);
    const boxes = [...taken];
    const toPixel = ([i, j]: GridPoint): Pixel => [x.placeOfIndex(i), y.length - y.placeOfIndex(j)];
    return chosen.flatMap((level) => {
        const lines = isolines(grid.xs.length, grid.ys.length, at, level).map((line) => line.map(toPixel));
        const text = `${digits(level)} ms`;
        return lines.map((line, k): Contour => {
            const label = lengthOf(line) < SHORTEST ? null
                : labelPlace(line, text, boxes, {x: 0, y: 0, width: x.length, height: y.length});
            if (label)
                boxes.push(label);
            const path = line.map(([px, py], n) => `${n ? 'L' : 'M'}${px.toFixed(1)} ${py.toFixed(1)}`).join('');
            return {key: `${level} ${k}`, text, path, label};
        });
    });
}
