// backtest-memory.tsx - memory as planned against what engines printed at their start.
import {useAnswer} from '../../app/api';
import {addressOfRecord} from '../../app/behind';
import {figure} from '../../app/figures';
import {Badge} from '../../ui/badge';
import {Scroll} from '../../ui/scroll';
import {label, shownNumber} from './field-words';

interface Group {
    readonly figure: string;
    readonly engine: string | null;
    readonly kind: string | null;
    readonly n: number;
    readonly within_1_percent: number;
    readonly within_5_percent: number;
    readonly median: number | null;
    readonly p90: number | null;
}

interface Log {
    readonly id: string;
    readonly title: string;
    readonly status: string;
    readonly seen: string | null;
    readonly planned: string | null;
    readonly figures: readonly {readonly figure: string; readonly printed: number; readonly predicted: number;
        readonly error: number}[];
}

interface MemoryReply {
    readonly note: string;
    readonly groups: readonly Group[];
    readonly out_of_memory: {readonly found: number; readonly missed: number; readonly unknown: number;
        readonly started: number; readonly false_alarms: number};
    readonly items: readonly Log[];
}

function Groups({groups}: {groups: readonly Group[]})
{
    return (
        <section class="card" aria-labelledby="memory-errors">
            <h2 id="memory-errors">Errors by figure</h2>
            <Scroll label="Errors by figure">
                <table>
                    <thead><tr>
                        <th scope="col">Figure</th><th scope="col">Engine</th><th scope="col" class="number">Logs</th>
                        <th scope="col" class="number">Within 1 %</th><th scope="col" class="number">Within 5 %</th>
                        <th scope="col" class="number">Median</th><th scope="col" class="number">90th</th>
                    </tr></thead>
                    <tbody>{groups.filter(({kind}) => kind === null).map((group) => (
                        <tr key={`${group.figure} ${group.engine}`}>
                            <th scope="row">{label(group.figure)}</th><td>{group.engine ?? 'all'}</td>
                            <td class="number">{group.n}</td><td class="number">{group.within_1_percent}</td>
                            <td class="number">{group.within_5_percent}</td>
                            <td class="number">{figure(group.median, 'share')}</td><td class="number">{figure(group.p90, 'share')}</td>
                        </tr>
                    ))}</tbody>
                </table>
            </Scroll>
        </section>
    );
}

function Logs({logs}: {logs: readonly Log[]})
{
    return (
        <section class="card" aria-labelledby="memory-logs">
            <h2 id="memory-logs">Starts</h2>
            <Scroll label="Starts">
                <table class="records">
                    <thead><tr><th scope="col">Start</th><th scope="col">Seen</th><th scope="col">Planned</th>
                        <th scope="col">Printed against planned</th></tr></thead>
                    <tbody>{logs.map((log) => (
                        <tr key={log.id}>
                            <th scope="row" class="wide"><a href={addressOfRecord({kind: 'capacity', id: log.id})}>{log.title}</a></th>
                            <td>{log.seen ?? '–'}</td>
                            <td>{log.planned === null ? '–' : log.planned === log.seen ? <Badge tone="good">{log.planned}</Badge>
                                : <Badge tone="bad">{log.planned}</Badge>}</td>
                            <td class="wide">{log.figures.map((one) => `${label(one.figure)} ${shownNumber(one.figure, one.printed)} against ` +
                                `${shownNumber(one.figure, one.predicted)} (${figure(one.error, 'change')})`).join('; ') || '–'}</td>
                        </tr>
                    ))}</tbody>
                </table>
            </Scroll>
        </section>
    );
}

export function MemoryBacktest()
{
    const {data, problem} = useAnswer<MemoryReply>('/v1/backtest?set=memory');
    if (problem)
        return <p class="fault" role="alert">{problem.title}</p>;
    if (!data)
        return null;
    const {found, missed, unknown, started, false_alarms: alarms} = data.out_of_memory;
    return (
        <>
            <p class="summary" aria-live="polite">
                Of {found + missed + unknown} starts that ran out of memory <strong>{found}</strong> are planned not to fit
                and {missed} to fit ({unknown} unknown); of {started} that started <strong>{alarms}</strong> are planned not to fit.
            </p>
            <Groups groups={data.groups} />
            <Logs logs={data.items} />
            <p class="soft">{data.note}</p>
        </>
    );
}
