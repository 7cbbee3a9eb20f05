// labels.ts - places for the names of dots, so that none lies on another or on a dot.

export interface Label {
    readonly text: string;
    readonly x: number;
    readonly y: number;
    readonly anchor: 'start' | 'end' | 'middle';
}

interface Box {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
}

export const LETTER = 7;
const TALL = 13;
const AWAY = 10;

const touch = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Places around a dot, the best first. */
function placesOf(text: string, x: number, y: number): {label: Label; box: Box}[]
{
    const long = text.length * LETTER;
    const at = (dx: number, dy: number, anchor: Label['anchor']) => {
        const left = anchor === 'start' ? x + dx : anchor === 'end' ? x + dx - long : x + dx - long / 2;
        return {
            label: {text, x: x + dx, y: y + dy, anchor},
            box: {left, right: left + long, top: y + dy - TALL + 3, bottom: y + dy + 3},
        };
    };
    return [
        at(AWAY, 4, 'start'), at(-AWAY, 4, 'end'), at(0, -AWAY, 'middle'), at(0, AWAY + 9, 'middle'),
        at(AWAY, -8, 'start'), at(AWAY, 16, 'start'), at(-AWAY, -8, 'end'), at(-AWAY, 16, 'end'),
        at(7, 21, 'end'), at(7, -12, 'end'), at(-7, 21, 'start'), at(-7, -12, 'start'),
        at(AWAY, -20, 'start'), at(AWAY, 28, 'start'), at(-AWAY, -20, 'end'), at(-AWAY, 28, 'end'),
    ];
}

/** For each dot its label, or nothing where there is no free place inside the frame and beside other words. */
export function labelled(dots: readonly {x: number; y: number; text: string}[], frame: Box,
    words: readonly Box[]): (Label | undefined)[]
{
    const taken: Box[] = [...words, ...dots.map(({x, y}) => ({left: x - 7, right: x + 7, top: y - 7, bottom: y + 7}))];
    return dots.map((dot) => {
        const place = placesOf(dot.text, dot.x, dot.y).find(({box}) =>
            box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom &&
            !taken.some((other) => touch(box, other)));
        if (place)
            taken.push(place.box);
        return place?.label;
    });
}
