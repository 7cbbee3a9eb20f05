// front.tsx - speed for one user against output of one device: what is on the front, and what ranks.
import {useMemo} from 'preact/hooks';
import {digits, mark} from '../../app/figures';
import type {FrontPoint, SearchItem, SearchResult} from '../../app/search';
import {linearTicks} from '../../charts/axis_scale';
import {Frame} from '../../charts/frame';
import {useWidth} from '../../charts/width';

interface Dot {
    readonly key: string;
    readonly hardware: string;
    readonly title: string;
    readonly user: number;
    readonly device: number;
    readonly rank: number | null;
    readonly feasible: boolean;
    readonly onFront: boolean;
    readonly plan: string | null;
}

const keyOf = (one: {title: string; plan: string | null}) => `${one.title} ${one.plan}`;

/** The front and the ranked ones, each once. */
function dotsOf(result: SearchResult): Dot[]
{
    const front = result.pareto.map((point: FrontPoint): Dot => ({key: keyOf(point), hardware: point.hardware,
        title: point.title, user: point.per_user_tok_s, device: point.per_device_tok_s, rank: point.rank,
        feasible: point.feasible, onFront: true, plan: point.plan}));
    const ranks = new Set(front.map((dot) => dot.rank));
    const ranked = result.items.filter((item) => !ranks.has(item.rank)).flatMap((item: SearchItem): Dot[] => {
        const user = item.throughput.per_user_tok_s.expected, device = item.per_device_tok_s;
        return user === null || device === null ? [] : [{key: keyOf(item), hardware: item.hardware, title: item.title,
            user, device, rank: item.rank, feasible: true, onFront: false, plan: item.plan}];
    });
    return [...front, ...ranked];
}

/** Hues apart from each other, and shapes, so that neither alone has to tell. */
const HUES = ['weights', 'kv', 'compute', 'link', 'host', 'launch'] as const;
const SHAPES = ['M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z', 'M-4.5 -4.5H4.5V4.5H-4.5Z', 'M0 -6L5.6 4.5H-5.6Z',
    'M0 -6L6 0L0 6L-6 0Z', 'M-2 -5H2V-2H5V2H2V5H-2V2H-5V-2H-2Z', 'M0 6L5.6 -4.5H-5.6Z'] as const;

interface Look {
    readonly colour: string;
    readonly shape: string;
}

function looksOf(dots: readonly Dot[]): ReadonlyMap<string, Look>
{
    const parts = [...new Set(dots.map((dot) => dot.hardware))].sort();
    return new Map(parts.map((part, i) => [part, {
        colour: `var(--c-${HUES[i % HUES.length] ?? 'rest'})`,
        shape: SHAPES[i % SHAPES.length] ?? SHAPES[0],
    }]));
}

const MARGIN = {left: 56, right: 18, top: 28, bottom: 44};
const HEIGHT = 380;

interface Sides {
    readonly x: (value: number) => number;
    readonly y: (value: number) => number;
    readonly width: number;
    readonly height: number;
    readonly xTicks: readonly number[];
    readonly yTicks: readonly number[];
}

function sidesOf(dots: readonly Dot[], width: number): Sides
{
    const inner = {width: Math.max(width - MARGIN.left - MARGIN.right, 10), height: HEIGHT - MARGIN.top - MARGIN.bottom};
    const most = (of: (dot: Dot) => number) => dots.reduce((high, dot) => Math.max(high, of(dot)), 0) * 1.08 || 1;
    const user = most((dot) => dot.user), device = most((dot) => dot.device);
    return {
        ...inner,
        x: (value) => (value / user) * inner.width,
        y: (value) => inner.height - (value / device) * inner.height,
        xTicks: linearTicks(0, user, inner.width / 80),
        yTicks: linearTicks(0, device, inner.height / 50),
    };
}

function Axes({sides}: {sides: Sides})
{
    const text = (value: number) => mark(value, 'count');
    return (
        <g class="front-axes" aria-hidden="true">
            {sides.xTicks.map((tick) => (
                <g key={tick} transform={`translate(${sides.x(tick)} 0)`}>
                    <line y2={sides.height} /><text y={sides.height + 18} text-anchor="middle">{text(tick)}</text>
                </g>
            ))}
            {sides.yTicks.map((tick) => (
                <g key={tick} transform={`translate(0 ${sides.y(tick)})`}>
                    <line x2={sides.width} /><text x="-8" dy=".32em" text-anchor="end">{text(tick)}</text>
                </g>
            ))}
            <text class="front-title" x={8 - MARGIN.left} y="-14">↑ Output per device, tok/s</text>
            <text class="front-title" x={sides.width} y={sides.height + 38} text-anchor="end">Speed for one user, tok/s →</text>
        </g>
    );
}

interface Ranks {
    readonly x: number;
    readonly y: number;
    readonly ranks: readonly number[];
}

const RANK_CHARACTER = 7;
const RANK_HEIGHT = 14;
const rankText = ({ranks}: Ranks) => ranks.join(', ');
const touch = (a: Ranks, b: Ranks) => Math.abs(a.y - b.y) < RANK_HEIGHT &&
    Math.abs(a.x - b.x) < (rankText(a).length + rankText(b).length + 1) * RANK_CHARACTER / 2;

/** Where ranks are written: those of marks that lie together in one text, so that none covers another. */
function ranksOf(dots: readonly Dot[], sides: Sides): Ranks[]
{
    let texts: Ranks[] = [];
    for (const {rank, user, device} of dots) {
        if (rank === null)
            continue;
        let text: Ranks = {x: sides.x(user), y: sides.y(device), ranks: [rank]};
        // What is joined is wider, and may reach the next.
        for (let near = texts.find((other) => touch(other, text)); near; near = texts.find((other) => touch(other, text))) {
            const joined = near;
            texts = texts.filter((other) => other !== joined);
            text = {x: (text.x + joined.x) / 2, y: Math.min(text.y, joined.y),
                ranks: [...text.ranks, ...joined.ranks].sort((a, b) => a - b)};
        }
        texts.push(text);
    }
    return texts;
}

const dotWords = (dot: Dot) => `${dot.title}: ${digits(dot.user)} tok/s for one user, ${digits(dot.device)} per device` +
    `${dot.feasible ? '' : ', exceeds a limit'}${dot.rank ? `, rank ${dot.rank}` : ''}`;

function Mark({dot, look, sides}: {dot: Dot; look: Look; sides: Sides})
{
    const href = dot.rank ? `#rank-${dot.rank}` : dot.plan?.replace('/v1/plan', '/') ?? undefined;
    return (
        <g transform={`translate(${sides.x(dot.user)} ${sides.y(dot.device)})`}>
            <a href={href} class="front-dot" aria-label={dotWords(dot)}>
                <circle class="front-target" r="11" />
                <path d={look.shape} style={{fill: dot.feasible ? look.colour : 'var(--card)', stroke: look.colour}}>
                    <title>{dotWords(dot)}</title>
                </path>
            </a>
        </g>
    );
}

export function Front({result, embed}: {result: SearchResult | null; embed: boolean})
{
    const [box, width] = useWidth<HTMLDivElement>(0);
    const dots = useMemo(() => result ? dotsOf(result) : [], [result]);
    const looks = useMemo(() => looksOf(dots), [dots]);
    const sides = useMemo(() => sidesOf(dots, width), [dots, width]);
    const line = dots.filter((dot) => dot.onFront).map((dot, i) =>
        `${i ? 'L' : 'M'}${sides.x(dot.user).toFixed(1)} ${sides.y(dot.device).toFixed(1)}`).join('');
    const rows = () => dots.map(({key, ...dot}) => dot);
    return (
        <Frame id="front" title="Speed for one user against output per device" embed={embed} rows={rows}
            words="The line is the front: no candidate exceeds these in both. Numbers are ranks; hollow marks exceed a limit. Each mark leads to its row or its plan.">
            <div ref={box} class="front-box">
                {width > 0 && dots.length > 0 && (
                    <svg class="front" viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} role="group"
                        aria-label="Front of candidates">
                        <g transform={`translate(${MARGIN.left} ${MARGIN.top})`}>
                            <Axes sides={sides} />
                            <path class="front-line" d={line} />
                            {dots.map((dot) => <Mark key={dot.key} dot={dot} sides={sides}
                                look={looks.get(dot.hardware) ?? {colour: 'var(--c-rest)', shape: SHAPES[0]}} />)}
                            {ranksOf(dots, sides).map((text) => (
                                <text key={text.ranks[0]} class="front-rank" x={text.x} y={text.y - 10} text-anchor="middle"
                                    aria-hidden="true">{rankText(text)}</text>
                            ))}
                        </g>
                    </svg>
                )}
            </div>
            <ul class="map-legend" aria-label="Legend">
                {[...looks].map(([part, look]) => (
                    <li key={part}><svg class="map-swatch" width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">
                        <path d={look.shape} style={{fill: look.colour}} /></svg> {part}</li>
                ))}
            </ul>
        </Frame>
    );
}
