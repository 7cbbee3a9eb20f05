// backtest.tsx - predicted against measured: every figure as a dot, the errors by group, the worst first.
import {useMemo} from 'preact/hooks';
import {useAnswer} from '../../app/api';
import {useAllRows, type Backtest, type BacktestGroup, type LeftOut} from '../../app/backtest';
import {figure} from '../../app/figures';
import {addressOf, setQuery, type Place} from '../../app/location';
import {SelectField} from '../../ui/fields';
import {Crumbs} from './crumbs';
import {Errors} from './backtest-groups';
import {MemoryBacktest} from './backtest-memory';
import {WorstRows} from './backtest-rows';
import {Scatter} from './backtest-scatter';
import {label} from './field-words';

const SETS = [
    {value: 'calibrated', label: 'runs that engines were calibrated on'},
    {value: 'other', label: 'runs of other sources'},
    {value: 'local', label: 'speed tests of local engines'},
    {value: 'memory', label: 'memory that engines printed'},
];

const LEFT_OUT: Readonly<Record<LeftOut, string>> = {
    nothing: 'nothing', run: 'the run', cell: 'the cell', model: 'the model',
};

/** Filters whose values are the groups of the reply. */
const DIMENSIONS = ['engine', 'hardware', 'model', 'weights', 'concurrency', 'input_tokens', 'nearness', 'source'];
const FILTERS = ['set', 'metric', ...DIMENSIONS, 'left_out', 'inside', 'explained'];

/** The metrics of a set, the usual one first. */
const metricsOf = (reply: Backtest | null) =>
    reply?.groups.filter(({by}) => by === 'all').map(({metric, n}) => ({metric, n})) ?? [];

function Choices({query, every}: {query: URLSearchParams; every: Backtest | null})
{
    const metric = query.get('metric') ?? '';
    const metrics = metricsOf(every);
    const groups = (every?.groups ?? []).filter((group) => group.metric === metric);
    const modes = Object.keys(groups.find(({by}) => by === 'all')?.left_out ?? {}) as LeftOut[];
    const choose = (name: string) => (value: string) => setQuery({[name]: value});
    const field = (name: string) => (
        <SelectField key={name} label={label(name)} value={query.get(name) ?? ''} onChange={choose(name)} empty="any"
            options={groups.filter(({by}) => by === name).map(({value, n}) => ({value, label: `${value} (${n})`}))} />
    );
    return (
        <form class="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
            <SetChoice set={query.get('set') ?? ''} />
            <SelectField label="Metric" value={metric} onChange={choose('metric')}
                options={metrics.map((row) => ({value: row.metric, label: `${label(row.metric)} (${row.n})`}))} />
            {['engine', 'hardware', 'model', 'weights', 'concurrency', 'input_tokens'].map(field)}
            <SelectField label="Left out of the fit" value={query.get('left_out') ?? every?.left_out ?? ''}
                onChange={choose('left_out')} options={modes.map((mode) => ({value: mode, label: LEFT_OUT[mode]}))} />
            <SelectField label="Interval" value={query.get('inside') ?? ''} onChange={choose('inside')} empty="any"
                options={[{value: 'true', label: 'inside'}, {value: 'false', label: 'outside'}]} />
        </form>
    );
}

function SetChoice({set}: {set: string})
{
    const choose = (value: string) => setQuery({...Object.fromEntries(FILTERS.map((name) => [name, ''])),
        set: value === 'calibrated' ? '' : value});
    return (
        <div class="filter-words"><SelectField label="What is compared" value={set} onChange={choose} options={SETS} /></div>
    );
}

/** "Half of 1,538 are within 7.6 %, nine of ten within 21 %; 81 % lie inside their 80 % interval." */
function Summary({group, mode}: {group: BacktestGroup | undefined; mode: LeftOut})
{
    const errors = group?.left_out[mode];
    if (!errors)
        return <p class="summary">{'\u00a0'}</p>;
    return (
        <p class="summary" aria-live="polite">
            Of {errors.n.toLocaleString('en-US')} figures half are within <strong>{figure(errors.median, 'share')}</strong>,
            nine of ten within <strong>{figure(errors.p90, 'share')}</strong>
            {errors.inside !== null && <>; <strong>{figure(errors.inside, 'share')}</strong> lie inside their 80 % interval</>}.
        </p>
    );
}

function question(query: URLSearchParams): URLSearchParams
{
    return new URLSearchParams([...query].filter(([name, value]) => FILTERS.includes(name) && value !== ''));
}

function Figures({place, set, embed}: {place: Place; set: string; embed: boolean})
{
    const every = useAnswer<Backtest>(`/v1/backtest?set=${set}&limit=1`).data;
    const known = every?.set === set ? every : null;
    const asked = useMemo(() => {
        const query = question(place.query);
        query.set('set', set);
        if (!query.has('metric'))
            query.set('metric', metricsOf(known)[0]?.metric ?? (set === 'local' ? 'decode_tok_s' : 'tpot_ms'));
        return query;
    }, [place.query.toString(), set, known]);
    const {reply, rows, problem, waiting} = useAllRows(asked);
    const mode = reply?.left_out ?? 'cell';
    const scatter = <Scatter rows={rows} mode={mode} metric={asked.get('metric') ?? ''} waiting={waiting}
        total={reply?.total ?? 0} embed={embed} />;
    if (embed)
        return scatter;
    return (
        <>
            <Choices query={asked} every={known} />
            {problem && <p class="fault" role="alert">{problem.faults.map(({detail}) => detail).join('; ') || problem.title}</p>}
            <Summary group={reply?.groups.find(({by}) => by === 'all')} mode={mode} />
            <div class="backtest-main">
                {scatter}
                <Errors groups={reply?.groups ?? []} mode={mode} />
            </div>
            <WorstRows rows={rows} mode={mode} total={reply?.total ?? 0} />
            <p class="soft">{reply?.note ?? ''}</p>
        </>
    );
}

export function BacktestPage({place, embed}: {place: Place; embed: boolean})
{
    const set = place.query.get('set') ?? 'calibrated';
    const asked = question(place.query);
    const csv = new URLSearchParams(asked);
    csv.set('format', 'csv');
    csv.set('limit', '1000');
    return (
        <div>
            {embed ? <h1 class="hidden-text">Backtest</h1> : (
                <>
                    <Crumbs trail={[['/records', 'Records']]} title="Backtest">
                        <a href={addressOf('/v1/backtest', asked)}>JSON</a>
                        {set !== 'memory' && <a href={addressOf('/v1/backtest', csv)} download="backtest.csv">CSV</a>}
                    </Crumbs>
                    <p class="soft">What the planner says of each published measurement, beside what was measured. Left out of the
                        fit is the run itself, its cell (the same model on the same part and engine) or its model.</p>
                </>
            )}
            {set === 'memory' ? <><div class="filters"><SetChoice set={set} /></div><MemoryBacktest /></> : <Figures place={place} set={set} embed={embed} />}
        </div>
    );
}
