// interval.tsx - floor, low, expected and high of one figure as a small bar.
import {figure, type Unit} from '../app/figures';

export interface Estimate {
    readonly floor: number | null;
    readonly expected: number | null;
    readonly low: number | null;
    readonly high: number | null;
}

interface IntervalProps {
    readonly of: Estimate;
    readonly unit: Unit;
    /** The limit asked for, drawn as a line. */
    readonly limit?: number | null;
    /** Where the scale ends, for bars that are compared; else a little beyond the figures. */
    readonly end?: number;
}

const known = (value: number | null | undefined): value is number => typeof value === 'number' && value > 0;

/** The four figures on a common linear scale from nought; nothing is drawn where nothing is known. */
export function IntervalBar({of, unit, limit, end}: IntervalProps)
{
    const top = end ?? Math.max(...[of.floor, of.expected, of.high, limit].filter(known), 0) * 1.04;
    const at = (value: number) => `${(value / top) * 100}%`;
    const words = [
        known(of.floor) ? `floor ${figure(of.floor, unit)}` : '',
        known(of.low) && known(of.high) ? `80 % within ${figure(of.low, unit)} to ${figure(of.high, unit)}` : '',
        known(limit) ? `limit ${figure(limit, unit)}` : '',
    ].filter(Boolean).join(', ');
    if (!top)
        return <svg class="interval" aria-hidden="true" />;
    return (
        <svg class="interval" role="img" aria-label={words}>
            <title>{words}</title>
            <line class="interval-axis" x1="0" x2="100%" y1="7" y2="7" />
            {known(of.low) && known(of.high) &&
                <rect class="interval-range" x={at(of.low)} width={at(of.high - of.low)} y="3" height="8" rx="2" />}
            {known(of.floor) && <rect class="interval-floor" x={at(of.floor)} width="2" y="1" height="12" />}
            {known(of.expected) && <circle class="interval-expected" cx={at(of.expected)} cy="7" r="4" />}
            {known(limit) && <rect class="interval-limit" x={at(limit)} width="2" y="0" height="14" />}
        </svg>
    );
}
