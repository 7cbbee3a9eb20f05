// page.tsx - from limits to deployments: what keeps them, at what cost, and how to start it.
import type {Problem} from '../../app/api';
import {figure} from '../../app/figures';
import {addressOf, navigate} from '../../app/location';
import type {PageProps} from '../../app/pages';
import type {Infeasible, SearchResult} from '../../app/search';
import {SearchForm} from './form';
import {Front} from './front';
import {Prices} from './prices';
import {Results} from './results';
import {searchBody, searchQuery} from './search-settings';
import {useSearch} from './use-search';

const FILTERS: Readonly<Record<string, string>> = {
    weights_exceed_memory: 'whose weights do not fit',
    no_record: 'that nobody measured',
};

const LIMIT_NAMES: Readonly<Record<string, string>> = {
    memory: 'memory', max_model_len: 'length of a request', ttft_ms: 'time to first token', tpot_ms: 'time per output token',
    output_tok_s: 'output in all', request_rate: 'requests a second',
};

const nameOf = (limit: string) => LIMIT_NAMES[limit] ?? limit.replaceAll('_', ' ');
const count = (value: number) => value.toLocaleString('en-US');

function Counts({of}: {of: SearchResult['candidates']})
{
    const filtered = Object.entries(of.filtered).filter(([, n]) => n > 0)
        .map(([why, n]) => `${count(n)} ${FILTERS[why] ?? why.replaceAll('_', ' ')}`);
    return <p class="soft">{count(of.total)} candidates, {count(of.planned)} planned, {count(of.feasible)} keep every limit.
        {filtered.length > 0 && ` Left out: ${filtered.join(', ')}.`}</p>;
}

/** The limit at which the nearest candidate would do, rounded up. */
function Relax({of, query}: {of: Infeasible; query: URLSearchParams})
{
    const reached = of.nearest && (of.binding === 'ttft_ms' || of.binding === 'tpot_ms') ? of.nearest.latency[of.binding].expected : null;
    if (reached === null || of.binding === null)
        return null;
    const next = new URLSearchParams(query);
    const limit = Number(reached.toPrecision(3)) >= reached ? Number(reached.toPrecision(3)) : Number((reached * 1.005).toPrecision(3));
    next.set(of.binding, String(limit));
    return <a href={addressOf('/search', next)}>Allow {figure(limit, 'ms')}</a>;
}

function Nothing({of, query}: {of: Infeasible; query: URLSearchParams})
{
    return (
        <>
            <p class="search-verdict">Nothing keeps every limit{of.binding ? `: ${nameOf(of.binding)} binds` : ''}</p>
            <p>{of.detail}</p>
            {of.nearest && <p>Nearest: {of.nearest.title}</p>}
            <p class="search-links">
                {of.nearest?.plan && <a href={of.nearest.plan.replace('/v1/plan', '/')}>Plan of the nearest</a>}
                <Relax of={of} query={query} />
            </p>
            {Object.keys(of.counts).length > 0 && <p class="soft">Candidates beyond a limit: {Object.entries(of.counts)
                .map(([limit, n]) => `${nameOf(limit)} ${count(n)}`).join(', ')}.</p>}
        </>
    );
}

function Verdict({result, query}: {result: SearchResult; query: URLSearchParams})
{
    const best = result.items[0];
    if (result.infeasible || !best)
        return result.infeasible ? <Nothing of={result.infeasible} query={query} /> : <p class="search-verdict">Nothing was found</p>;
    return (
        <>
            <p class="search-verdict">{best.title}</p>
            <p>{best.cost.usd_per_million_output_tokens !== null &&
                <><strong>{figure(best.cost.usd_per_million_output_tokens, 'usd')}</strong> per million output tokens, </>}
                first token in {figure(best.latency.ttft_ms.expected, 'ms')}, then one each {figure(best.latency.tpot_ms.expected, 'ms')},{' '}
                {figure(best.throughput.output_tok_s.expected, 'rate')} tok/s in all.
                {best.slo_verdict === 'unknown' && ' Its range straddles a limit: too close to tell whether it is kept.'}</p>
        </>
    );
}

function Faults({problem}: {problem: Problem})
{
    return (
        <div class="card" role="alert">
            <p class="fault">{problem.title}</p>
            <ul>{problem.faults.map((fault) => <li key={fault.pointer}><span class="mono">{fault.pointer}</span> {fault.detail}</li>)}</ul>
        </div>
    );
}

function Rules({result}: {result: SearchResult})
{
    return (
        <section class="card" aria-labelledby="rules-title">
            <h2 id="rules-title">What was assumed</h2>
            <ul class="search-rules">
                {result.warnings.map((warning) => <li key={warning.id}>{warning.detail}</li>)}
            </ul>
            <details>
                <summary>Where the request left the space open</summary>
                <ul class="search-rules">
                    {result.assumed.map(({pointer, rule}) => <li key={pointer}><span class="mono">{pointer}</span> {rule}</li>)}
                </ul>
            </details>
        </section>
    );
}

export default function SearchPage({place, embed}: PageProps)
{
    const query = searchQuery(place.query);
    const {result, problem, progress} = useSearch(searchBody(query));
    const set = (changes: Readonly<Record<string, string>>) => {
        const next = new URLSearchParams(query);
        for (const [name, value] of Object.entries(changes))
            next.set(name, value);
        navigate(addressOf('/search', next), {replace: true});
    };
    if (embed)
        return problem ? <Faults problem={problem} /> : <Front result={result} embed />;
    return (
        <>
            <h1>Search</h1>
            <div class="search">
                <SearchForm query={query} faults={problem?.faults ?? []} set={set} />
                <div class="search-main">
                    <section class="card search-head" aria-label="Verdict">
                        <progress class="search-progress" max="1" value={progress ?? 1} aria-label="Candidates looked at"
                            hidden={progress === null} />
                        <div aria-live="polite">{result && !problem && <Verdict result={result} query={query} />}</div>
                        {result && !problem && <Counts of={result.candidates} />}
                    </section>
                    {problem && <Faults problem={problem} />}
                    <Front result={result} embed={false} />
                    {result && result.items.length > 0 && <Results items={result.items} />}
                    {result && <Prices prices={result.prices} query={query} set={set} />}
                    {result && <Rules result={result} />}
                </div>
            </div>
        </>
    );
}
