// backtest-groups.tsx - how far off predictions are, by what was served on what.
import {addressOfRecord} from '../../app/behind';
import type {BacktestGroup, LeftOut} from '../../app/backtest';
import {figure} from '../../app/figures';
import {setQuery} from '../../app/location';
import {Scroll} from '../../ui/scroll';
import {label} from './field-words';

const GROUPED_BY = ['engine', 'hardware', 'model', 'weights', 'concurrency', 'input_tokens', 'nearness', 'source'];

function Line({group, mode}: {group: BacktestGroup; mode: LeftOut})
{
    const errors = group.left_out[mode];
    return (
        <tr>
            <th scope="row">
                {group.by === 'source'
                    ? <a href={addressOfRecord({kind: 'sources', id: group.value})}>{group.value}</a>
                    : <button type="button" class="link" title="Show these alone"
                        onClick={() => setQuery({[group.by]: group.value})}>{group.value}</button>}
            </th>
            <td class="number">{group.n.toLocaleString('en-US')}</td>
            <td class="number">{figure(errors?.median, 'share')}</td>
            <td class="number">{figure(errors?.p90, 'share')}</td>
            <td class="number">{figure(errors?.bias, 'change')}</td>
            <td class="number">{figure(errors?.inside, 'share')}</td>
        </tr>
    );
}

export function Errors({groups, mode}: {groups: readonly BacktestGroup[]; mode: LeftOut})
{
    return (
        <section class="card backtest-errors" aria-labelledby="errors">
            <h2 id="errors">Errors by group</h2>
            <Scroll label="Errors by group">
                <table>
                    <thead><tr>
                        <th scope="col">Group</th><th scope="col" class="number">Figures</th>
                        <th scope="col" class="number">Median</th><th scope="col" class="number">90th</th>
                        <th scope="col" class="number">Bias</th><th scope="col" class="number">Inside 80 %</th>
                    </tr></thead>
                    {GROUPED_BY.filter((by) => groups.some((group) => group.by === by)).map((by) => (
                        <tbody key={by}>
                            <tr class="group-head"><th scope="rowgroup" colSpan={6}>{label(by)}</th></tr>
                            {groups.filter((group) => group.by === by)
                                .map((group) => <Line key={group.value} group={group} mode={mode} />)}
                        </tbody>
                    ))}
                </table>
            </Scroll>
        </section>
    );
}
