// metrics.tsx - what was measured beside what the planner says of it.
import {digits, figure} from '../../app/figures';
import {listAt, numberAt, textAt, type Facts} from '../../app/records';
import {Badge} from '../../ui/badge';
import {Scroll} from '../../ui/scroll';
import {label} from './field-words';

function Predicted({metric}: {metric: Facts})
{
    const [predicted, low, high] = ['predicted', 'low', 'high'].map((name) => numberAt(metric, name));
    if (predicted === null || predicted === undefined)
        return <>–</>;
    return (
        <>
            {digits(predicted)}
            {typeof low === 'number' && typeof high === 'number' &&
                <span class="soft"> ({digits(low)} to {digits(high)})</span>}
        </>
    );
}

export function Metrics({facts}: {facts: Facts})
{
    const metrics = listAt(facts, 'metrics');
    if (!metrics.length)
        return <>–</>;
    return (
        <Scroll label="Metrics">
            <table>
                <thead><tr>
                    <th scope="col">Metric</th><th scope="col">Statistic</th><th scope="col" class="number">Measured</th>
                    <th scope="col">Unit</th><th scope="col" class="number">Predicted</th>
                    <th scope="col" class="number">Measured against it</th><th scope="col">Interval</th>
                </tr></thead>
                <tbody>{metrics.map((metric, i) => {
                    const value = numberAt(metric, 'value');
                    const residual = numberAt(metric, 'residual');
                    return (
                        <tr key={i}>
                            <th scope="row" title={textAt(metric, 'metric')}>{label(textAt(metric, 'metric'))}</th>
                            <td>{textAt(metric, 'statistic')}</td>
                            <td class="number"><strong>{value === null ? '–' : digits(value, 4)}</strong></td>
                            <td>{textAt(metric, 'unit')}</td>
                            <td class="number"><Predicted metric={metric} /></td>
                            <td class="number">{figure(residual, 'change')}</td>
                            <td>{typeof metric.beyond_interval !== 'boolean' ? '–' : metric.beyond_interval
                                ? <Badge tone="bad">outside</Badge> : <Badge tone="good">inside</Badge>}</td>
                        </tr>
                    );
                })}</tbody>
            </table>
        </Scroll>
    );
}
