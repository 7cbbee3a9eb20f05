// results.tsx - the deployments that keep every limit, best first, each with its command.
import {figure} from '../../app/figures';
import type {Estimate} from '../../app/plan';
import type {SearchItem} from '../../app/search';
import {Badge, Basis, type Tone} from '../../ui/badge';
import {CopyButton} from '../../ui/copy';

const VERDICTS: Readonly<Record<string, {tone: Tone; words: string}>> = {
    pass: {tone: 'good', words: 'keeps the limits'},
    fail: {tone: 'bad', words: 'exceeds a limit'},
    unknown: {tone: 'doubt', words: 'too close to tell'},
};

function Within({of, name}: {of: Estimate; name: string})
{
    return (
        <>
            {figure(of.expected, 'ms')}
            {of.low !== null && of.high !== null && (
                <span class="soft range" title={`${name}: four of five runs fall in this range`}>
                    {figure(of.low, 'ms')} – {figure(of.high, 'ms')}
                </span>
            )}
        </>
    );
}

/** A command with a button that copies it. */
function Command({role, count, command}: {role: string; count: number; command: string})
{
    const each = count > 1 ? `${count} × ${role}` : role;
    return (
        <div class="command">
            <div class="command-head">
                <span class="soft">{each}</span>
                <CopyButton label="Copy" name={`Copy the command of ${each}`} class="quiet" text={() => command} />
            </div>
            <pre tabIndex={0} aria-label={`Command of ${each}`}>{command}</pre>
        </div>
    );
}

const SHAPE = ['weights', 'kv_cache', 'tp', 'pp', 'dp', 'ep', 'replicas'] as const;

/** "fp8, KV fp8, tp 4, replicas 2": what of a layout is not one. */
function shapeOf(deployment: Readonly<Record<string, unknown>>): string
{
    return SHAPE.flatMap((name) => {
        const value = deployment[name];
        if (value === undefined || value === null || value === 1)
            return [];
        return [name === 'weights' ? String(value) : name === 'kv_cache' ? `KV ${String(value)}` : `${name} ${String(value)}`];
    }).join(', ');
}

function commandsOf(item: SearchItem): NonNullable<SearchItem['commands']>
{
    return item.commands ?? (item.command ? [{role: 'replica', count: 1, command: item.command}] : []);
}

function Links({item, first}: {item: SearchItem; first: SearchItem | undefined})
{
    const query = (one: SearchItem | undefined) => one?.plan?.split('?')[1] ?? null;
    const own = query(item), best = query(first);
    return (
        <p class="search-links">
            {own ? <a href={`/?${own}`}>Plan</a> : <span class="soft">its plan does not fit an address</span>}
            {own && <a href={`/map?${own}`}>Map</a>}
            {own && best && item !== first &&
                <a href={`/compare?a=${encodeURIComponent(best)}&b=${encodeURIComponent(own)}`}>Compare with the first</a>}
        </p>
    );
}

function Details({item, first}: {item: SearchItem; first: SearchItem | undefined})
{
    return (
        <tr class="search-details">
            <td />
            <td colSpan={HEADS.length}>
                {item.lost_by && <p><span class="soft">Behind rank {item.rank - 1}:</span> {item.lost_by}</p>}
                {commandsOf(item).map((command) => <Command key={command.role} {...command} />)}
                {item.not_in_command.length > 0 &&
                    <p class="soft">No flag of the engine sets {item.not_in_command.join(', ')}.</p>}
                <Links item={item} first={first} />
            </td>
        </tr>
    );
}

function Row({item}: {item: SearchItem})
{
    const verdict = VERDICTS[item.slo_verdict ?? ''];
    return (
        <tr id={`rank-${item.rank}`} class="search-row" tabIndex={-1}>
            <td class="number search-rank">{item.rank}</td>
            <th scope="row">
                {item.devices} × {item.hardware}
                <span class="soft range">{item.model}, {item.engine}: {shapeOf(item.deployment)}</span>
            </th>
            <td class="number">
                {item.cost.usd_per_million_output_tokens === null ? <Basis basis="no record" />
                    : figure(item.cost.usd_per_million_output_tokens, 'usd')}
                <span class="soft range">{figure(item.cost.usd_per_hour, 'usd')}/h</span>
            </td>
            <td class="number"><Within of={item.latency.ttft_ms} name="Time to first token" /></td>
            <td class="number"><Within of={item.latency.tpot_ms} name="Time per output token" /></td>
            <td class="number">{figure(item.throughput.output_tok_s.expected, 'rate')}
                <span class="soft range">{figure(item.per_device_tok_s, 'rate')} a device</span></td>
            <td class="number"><span title={item.energy.formula}>≤ {figure(item.energy.upper_bound_j_per_output_token, 'rate')} J</span></td>
            <td>
                {verdict ? <Badge tone={verdict.tone}>{verdict.words}</Badge> : <span class="soft">no limits</span>}
                <span class="range"><Basis basis={item.latency.tpot_ms.basis} /></span>
            </td>
        </tr>
    );
}

const HEADS = ['Deployment', 'Per million tokens out', 'First token', 'Each token', 'Output, tok/s', 'Energy per token',
    'Limits'] as const;

export function Results({items}: {items: readonly SearchItem[]})
{
    return (
        <section class="card" aria-labelledby="results-title">
            <h2 id="results-title">Ranked</h2>
            <div class="scroll" tabIndex={0} role="region" aria-label="Ranked deployments">
                <table class="search-table">
                    <thead>
                        <tr>
                            <th scope="col" class="number">#</th>
                            {HEADS.map((head, i) => <th key={head} scope="col" class={i > 0 && i < HEADS.length - 1 ? 'number' : ''}>{head}</th>)}
                        </tr>
                    </thead>
                    <tbody>
                        {items.map((item) => [
                            <Row key={`${item.rank}`} item={item} />,
                            <Details key={`${item.rank} details`} item={item} first={items[0]} />,
                        ])}
                    </tbody>
                </table>
            </div>
            <p class="soft">Energy is an upper bound: the devices' full power all the time. Ranges hold four of five runs.</p>
        </section>
    );
}
