// parts.tsx - what a program prints of its own phases, each beside the budget of its tokens.
import type {PrintedPart} from '../../app/attribution';
import {figure} from '../../app/figures';
import {familyColour} from '../../charts/colours';
import {Frame} from '../../charts/frame';
import {PairOfBars, PAIR_HEIGHT, type PairBar} from '../../charts/pair_of_bars';
import {useWidth} from '../../charts/width';
import {Scroll} from '../../ui/scroll';

const TOTAL = 'total';

function barsOfPart(row: PrintedPart): PairBar[]
{
    const measured = {name: 'measured', value: row.us, text: `${figure(row.us, 'us')} · ${figure(row.share, 'share')}`, pale: false};
    return row.budget_us === null ? [measured]
        : [measured, {name: 'budget', value: row.budget_us, text: figure(row.budget_us, 'us'), pale: true}];
}

const noteOf = ({us, budget_us}: PrintedPart) => (budget_us ? `${figure(us / budget_us, 'count')} × budget` : '');

export function Parts({parts, noBudget}: {parts: readonly PrintedPart[]; noBudget: string | null})
{
    const [box, width] = useWidth<HTMLDivElement>(720);
    const rows = parts.filter(({part}) => part !== TOTAL);
    const most = Math.max(...rows.flatMap(({us, budget_us}) => [us, budget_us ?? 0]), 1e-12);
    return (
        <Frame id="phases" title="What the program prints of itself" rows={() => parts.map((row) => ({...row}))} noEmbed
            words={noBudget ? `No budget: ${noBudget}.` : 'Each phase, its budget pale beneath.'}>
            <div ref={box}>
                <svg class="drawing" role="img" aria-label="Time of each phase as bars" viewBox={`0 0 ${width} ${rows.length * PAIR_HEIGHT}`}
                    width={width} height={rows.length * PAIR_HEIGHT}>
                    {rows.map((row, i) => (
                        <PairOfBars key={row.part} name={row.part} colour={familyColour(row.on === 'device' ? 'weights' : 'host')}
                            note={noteOf(row)} title={`${row.part}: ${figure(row.us, 'us')}`} bars={barsOfPart(row)} y={i * PAIR_HEIGHT}
                            width={width} most={most} room={124} />
                    ))}
                </svg>
            </div>
            <Scroll label="Phases of the program">
                <table>
                    <thead><tr>
                        <th scope="col">Phase</th><th scope="col">On</th><th scope="col" class="number">Time</th>
                        <th scope="col" class="number">Share</th><th scope="col" class="number">Tokens</th>
                        <th scope="col" class="number">Of each</th><th scope="col" class="number">Budget</th>
                    </tr></thead>
                    <tbody>{parts.map((row) => (
                        <tr key={row.part}>
                            <th scope="row">{row.part}</th><td>{row.on}</td><td class="number">{figure(row.us, 'us')}</td>
                            <td class="number">{figure(row.share, 'share')}</td><td class="number">{figure(row.tokens, 'tokens')}</td>
                            <td class="number">{figure(row.us_per_token, 'us')}</td><td class="number">{figure(row.budget_us, 'us')}</td>
                        </tr>
                    ))}</tbody>
                </table>
            </Scroll>
        </Frame>
    );
}
