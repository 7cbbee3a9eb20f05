// bars.tsx - measured time by class as bars, the budget's pale beneath; what nothing explains is hatched.
import {useState} from 'preact/hooks';
import type {Attribution} from '../../app/attribution';
import {figure} from '../../app/figures';
import {Frame} from '../../charts/frame';
import {PairOfBars, PAIR_HEIGHT, type PairBar} from '../../charts/pair_of_bars';
import {useWidth} from '../../charts/width';
import {Scroll} from '../../ui/scroll';
import {KernelSheet} from './kernels';
import {barsOf, ratioText, textOf, type BarRow, type Bars} from './rows';

const HATCH = 'profile-hatch';
const LETTER = 6.9;
/** Room for what stands at the right end of a name's line. */
const NOTE = 104;

function Hatch()
{
    return (
        <defs>
            <pattern id={HATCH} width="7" height="7" patternUnits="userSpaceOnUse">
                <path d="M-2 2L2 -2M0 7L7 0M5 9L9 5" class="profile-hatch" />
            </pattern>
        </defs>
    );
}

/** "norm_elementwise + 3 more" where the whole does not fit. */
function shortName(name: string, width: number): string
{
    const parts = name.split(' + ');
    for (let n = parts.length; n > 1; n--) {
        const text = parts.slice(0, n).join(' + ') + (n < parts.length ? ` + ${parts.length - n} more` : '');
        if (text.length * LETTER <= width - NOTE)
            return text;
    }
    return parts.length > 1 ? `${parts[0]} + ${parts.length - 1} more` : name;
}

function titleOf(bars: Bars, row: BarRow): string
{
    const budget = row.budget === null ? '' : `, budget ${textOf(bars, row.budget)}`;
    const share = bars.unit === 'us' ? ` (${figure(row.share, 'share')})` : '';
    const note = bars.hasBudget || row.unexplained ? ratioText(bars, row) : '';
    return `${row.name}: ${textOf(bars, row.measured)}${share} measured${budget}${note && `, ${note}`}`;
}

function barsOfRow(bars: Bars, row: BarRow): PairBar[]
{
    const share = bars.unit === 'us' && bars.hasBudget ? ` · ${figure(row.share, 'share')}` : '';
    const measured = {
        name: 'measured', value: row.measured, pale: false, text: textOf(bars, row.measured) + share,
        hatch: row.unexplained ? `url(#${HATCH})` : null,
    };
    const budgetShare = bars.unit === 'us' ? ` · ${figure(row.budgetShare, 'share')}` : '';
    return row.budget === null ? [measured]
        : [measured, {name: 'budget', value: row.budget, pale: true, text: textOf(bars, row.budget) + budgetShare}];
}

function Legend({bars}: {bars: Bars})
{
    const unexplained = bars.rows.filter((row) => row.unexplained);
    if (!bars.hasBudget && unexplained.length === 0)
        return null;
    return (
        <ul class="profile-legend">
            <li><i class="look-measured" /> measured</li>
            {bars.hasBudget && <li><i class="look-budget" /> budget</li>}
            {unexplained.length > 0 && (
                <li><i class="look-unexplained" /> unexplained: {[...new Set(unexplained.map((row) => row.unexplained))].join(' or ')}</li>
            )}
        </ul>
    );
}

function Table({bars, onPick}: {bars: Bars; onPick: (row: BarRow) => void})
{
    return (
        <Scroll label="Time by class">
            <table class="profile-table">
                <thead><tr>
                    <th scope="col">Class</th>
                    {bars.unit === 'us' && <th scope="col" class="number">Time{bars.perStep ? ', a step' : ''}</th>}
                    <th scope="col" class="number">Share</th><th scope="col" class="number">Kernels</th>
                    {bars.hasBudget && <>
                        {bars.unit === 'us' && <th scope="col" class="number">Budget</th>}
                        <th scope="col" class="number">Share</th><th scope="col" class="number">Measured / budget</th>
                    </>}
                </tr></thead>
                {bars.rows.map((row) => <Group key={row.name} bars={bars} row={row} onPick={onPick} />)}
            </table>
        </Scroll>
    );
}

/** The classes of one budget: each with its own time, the budget once for all. */
function Group({bars, row, onPick}: {bars: Bars; row: BarRow; onPick: (row: BarRow) => void})
{
    const span = Math.max(row.classes.length, 1);
    const budget = bars.hasBudget && (
        <>
            {bars.unit === 'us' && <td class="number" rowSpan={span}>{textOf(bars, row.budget)}</td>}
            <td class="number" rowSpan={span}>{figure(row.budgetShare, 'share')}</td>
            <td class="number" rowSpan={span}>{row.unexplained ?? (row.measured === 0 ? 'not seen' : figure(row.ratio, 'count'))}</td>
        </>
    );
    const scale = row.measured / row.classes.reduce((sum, one) => sum + (one.us ?? 0), 0);
    if (row.classes.length === 0)
        return (
            <tbody><tr>
                <th scope="row" class="mono">{row.name}</th>{bars.unit === 'us' && <td class="number">0</td>}
                <td class="number">0</td><td class="number">0</td>{budget}
            </tr></tbody>
        );
    return (
        <tbody>
            {row.classes.map((one, i) => (
                <tr key={one.class}>
                    <th scope="row"><button type="button" class="link mono" aria-haspopup="dialog" onClick={() => onPick(row)}>{one.class}</button></th>
                    {bars.unit === 'us' && <td class="number">{figure((one.us ?? 0) * scale, 'us')}</td>}
                    <td class="number">{figure(one.share, 'share')}</td>
                    <td class="number">{figure(one.kernels, 'tokens')}</td>
                    {i === 0 && budget}
                </tr>
            ))}
        </tbody>
    );
}

function wordsOf(attribution: Attribution, bars: Bars): string
{
    const {budget} = attribution;
    const times = bars.unit === 'share' ? 'Shares of the device time.' : bars.perStep ? 'Times of one step.'
        : 'Times of all that the file holds, for how many steps it does not say.';
    const beside = bars.hasBudget ? `The budget is ${budget.of}.` : `No budget: ${budget.no_record}.`;
    return `${times} ${beside} Press a class for its kernels.`;
}

export function ClassBars({attribution}: {attribution: Attribution})
{
    const [box, width] = useWidth<HTMLDivElement>(720);
    const [picked, setPicked] = useState<BarRow | null>(null);
    const bars = barsOf(attribution);
    const most = Math.max(...bars.rows.flatMap((row) => [row.measured, row.budget ?? 0]), 1e-12);
    const csv = () => bars.rows.map((row) => ({
        classes: row.name, unit: bars.unit, measured: row.measured, measured_share: row.share, budget: row.budget,
        budget_share: row.budgetShare, ratio: row.ratio, unexplained: row.unexplained,
    }));
    return (
        <Frame id="attribution" title={bars.hasBudget ? 'Measured beside the budget' : 'Measured by class'}
            words={wordsOf(attribution, bars)} rows={csv} noEmbed>
            <Legend bars={bars} />
            <div ref={box}>
                <svg class="drawing" role="group" aria-label="Measured time by class as bars, the budget beneath"
                    viewBox={`0 0 ${width} ${bars.rows.length * PAIR_HEIGHT}`} width={width} height={bars.rows.length * PAIR_HEIGHT}>
                    <Hatch />
                    {bars.rows.map((row, i) => (
                        <PairOfBars key={row.name} name={shortName(row.name, width)} colour={row.colour} note={ratioText(bars, row)}
                            title={titleOf(bars, row)} bars={barsOfRow(bars, row)} y={i * PAIR_HEIGHT} width={width} most={most}
                            room={124} onPick={() => setPicked(row)} />
                    ))}
                </svg>
            </div>
            <details class="profile-figures">
                <summary>Figures by class</summary>
                <Table bars={bars} onPick={setPicked} />
            </details>
            {picked && <KernelSheet row={picked} onClose={() => setPicked(null)} />}
        </Frame>
    );
}
