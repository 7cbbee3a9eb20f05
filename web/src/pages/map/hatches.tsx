// hatches.tsx - patterns that tell cells apart where a colour is not enough.

/** Lines drawn in each tile of a pattern. */
const PATTERNS: readonly {readonly id: string; readonly size: number; readonly d: string}[] = [
    {id: '1', size: 10, d: 'M0 5H10'},
    {id: '2', size: 9, d: 'M4 4h1v1h-1z'},
    {id: '3', size: 12, d: 'M0 6H12M6 0V12'},
    {id: '4', size: 8, d: 'M0 0L8 8M8 0L0 8'},
    {id: 'waits', size: 12, d: 'M-3 3L3 -3M0 12L12 0M9 15L15 9'},
];

export const patternUrl = (id: string | number) => `url(#map-hatch-${id})`;

export function Hatches()
{
    return (
        <defs>
            {PATTERNS.map(({id, size, d}) => (
                <pattern key={id} id={`map-hatch-${id}`} width={size} height={size} patternUnits="userSpaceOnUse">
                    <path class="map-hatch" d={d} />
                </pattern>
            ))}
        </defs>
    );
}
