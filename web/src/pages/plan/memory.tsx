// memory.tsx - the memory of one device as a filled bar, each part open to its rule; what would make it fit.
import {useState} from 'preact/hooks';
import {figure} from '../../app/figures';
import type {Memory, MemoryTerm, Plan} from '../../app/plan';
import type {Family} from '../../charts/colours';
import {familyColour} from '../../charts/colours';
import {Frame} from '../../charts/frame';
import {useWidth} from '../../charts/width';
import {Badge, Basis} from '../../ui/badge';
import {ExplainSheet, type Explanation} from '../../ui/explain';
import {Figure} from '../../ui/figure';
import {explainTerm} from './explain';
import type {ApplyChange} from './cures';
import {changeWords} from './cures';

interface Part {
    readonly id: string;
    readonly title: string;
    readonly bytes: number;
    readonly colour: string;
    readonly faint?: boolean;
    readonly term?: MemoryTerm;
    readonly explain: () => Explanation;
}

const TERM_FAMILY: Readonly<Record<string, Family>> = {
    weights: 'weights', draft_weights: 'weights', vision_weights: 'weights', lora_slots: 'weights',
    rotary_tables: 'weights', activation: 'compute', state_slots: 'kv', graphs: 'launch', non_torch: 'rest',
    reserve: 'rest', other_processes: 'host',
};

function poolExplanation(memory: Memory): Explanation
{
    const {per_device: device} = memory;
    return {
        title: 'KV pool of one device',
        parts: [
            {name: 'low', value: device.kv_bytes_low, unit: 'bytes'},
            {name: 'expected', value: device.kv_bytes, unit: 'bytes'},
            {name: 'high', value: device.kv_bytes_high, unit: 'bytes'},
            {name: 'tokens', value: memory.kv_token_capacity, unit: 'tokens'},
            {name: 'bytes per token, all layers', value: memory.kv_bytes_per_token, unit: 'bytes'},
            ...memory.state_bytes_per_sequence
                ? [{name: 'state per sequence', value: memory.state_bytes_per_sequence, unit: 'bytes'} as const] : [],
        ],
        formula: memory.pool_formula,
        basis: memory.basis,
        words: 'u is the share of the device that the engine may take, T its memory.',
    };
}

function freeExplanation(memory: Memory): Explanation
{
    const {total_bytes: total, usable_bytes: usable} = memory.per_device;
    return {
        title: 'Memory that nothing takes',
        parts: [
            {name: 'device', value: total, unit: 'bytes'},
            {name: 'usable by the engine', value: usable, unit: 'bytes'},
        ],
        formula: 'device memory - weights - activations - overhead - KV pool',
        basis: 'derived',
    };
}

/** The parts of a device's memory from left to right; the pool in what the load fills and what is left of it. */
function partsOf(plan: Plan): Part[]
{
    const {memory} = plan;
    const {total_bytes: total, kv_bytes: pool} = memory.per_device;
    const concurrency = Number(plan.request.workload.concurrency) || 1;
    const filled = memory.max_concurrency ? Math.min(concurrency / memory.max_concurrency, 1) : 1;
    const terms = memory.terms.filter((term) => term.bytes > 0).map((term) => ({
        id: term.term, title: term.title, bytes: term.bytes, term,
        colour: familyColour(TERM_FAMILY[term.term] ?? 'rest'), explain: () => explainTerm(term),
    }));
    const taken = terms.reduce((sum, part) => sum + part.bytes, 0) + pool;
    const kv = {colour: familyColour('kv'), explain: () => poolExplanation(memory)};
    return [
        ...terms,
        ...pool > 0 ? [
            {id: 'kv', title: 'KV that this load fills', bytes: pool * filled, ...kv},
            {id: 'kv_free', title: 'KV pool that is left', bytes: pool * (1 - filled), faint: true, ...kv},
        ] : [],
        ...taken < total ? [{id: 'free', title: 'free', bytes: total - taken, colour: 'var(--line-soft)',
            explain: () => freeExplanation(memory)}] : [],
    ];
}

const BAR = {y: 20, height: 34};

function Drawing({plan, parts, width, onPick}:
    {plan: Plan; parts: readonly Part[]; width: number; onPick: (part: Part) => void})
{
    const {total_bytes: total, usable_bytes: usable} = plan.memory.per_device;
    const end = Math.max(total, parts.reduce((sum, part) => sum + part.bytes, 0));
    const at = (bytes: number) => (bytes / end) * (width - 2) + 1;
    let from = 0;
    const limits = [
        {name: `usable ${figure(usable, 'bytes')}`, bytes: usable, y: 12},
        ...total > usable * 1.001 ? [{name: `device ${figure(total, 'bytes')}`, bytes: total, y: 72}] : [],
    ];
    return (
        <svg class="drawing" role="group" aria-label="Memory of one device" viewBox={`0 0 ${width} 78`} width={width}
            height={78}>
            {parts.map((part) => {
                const x = at(from);
                from += part.bytes;
                const label = `${part.title}: ${figure(part.bytes, 'bytes')}`;
                return (
                    <g key={part.id} role="button" tabindex={0} class="bar-part" aria-label={label}
                        aria-haspopup="dialog" onClick={() => onPick(part)}
                        onKeyDown={(event) => {
                            if (event.key === 'Enter' || event.key === ' ') {
                                event.preventDefault();
                                onPick(part);
                            }
                        }}>
                        <title>{label}</title>
                        <rect x={x} y={BAR.y} width={Math.max(at(from) - x, 0.5)} height={BAR.height} fill={part.colour}
                            fill-opacity={part.faint ? 0.4 : 1} stroke="var(--card)" stroke-width="1" />
                    </g>
                );
            })}
            {limits.map((limit) => (
                <g key={limit.name}>
                    <line x1={at(limit.bytes)} x2={at(limit.bytes)} y1={BAR.y - 5} y2={BAR.y + BAR.height + 5}
                        stroke="var(--ink)" stroke-width="1.5" />
                    <text x={Math.min(at(limit.bytes) + 3, width - 1)} y={limit.y} class="chart-text"
                        text-anchor={at(limit.bytes) > width / 2 ? 'end' : 'start'}>{limit.name}</text>
                </g>
            ))}
        </svg>
    );
}

function Parts({parts}: {parts: readonly Part[]})
{
    return (
        <div class="scroll">
            <table>
                <tbody>
                    {parts.map((part) => (
                        <tr key={part.id}>
                            <td>
                                <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                                    <rect width="10" height="10" rx="2" fill={part.colour}
                                        fill-opacity={part.faint ? 0.4 : 1} />
                                </svg>{' '}
                                {part.title}
                            </td>
                            <td class="number"><Figure value={part.bytes} unit="bytes" explain={part.explain} /></td>
                            <td class="number soft wide-only">
                                {part.term && part.term.low_bytes !== part.term.high_bytes &&
                                    `${figure(part.term.low_bytes, 'bytes')} to ${figure(part.term.high_bytes, 'bytes')}`}
                            </td>
                            <td>{part.term && <Basis basis={part.term.basis} />}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

const FIT = {
    yes: {tone: 'good', word: 'fits'},
    no: {tone: 'bad', word: 'does not fit'},
    unknown: {tone: 'doubt', word: 'may not fit'},
} as const;

/** What the memory holds, as the four numbers that people ask for. */
function Capacity({memory}: {memory: Memory})
{
    const pool = () => poolExplanation(memory);
    const rows = [
        {name: 'KV tokens', value: memory.kv_token_capacity, unit: 'tokens'},
        {name: 'Requests of this length', value: memory.max_concurrency, unit: 'requests'},
        {name: 'Requests of full length', value: memory.max_concurrency_at_max_model_len, unit: 'requests'},
        {name: 'Longest context', value: memory.longest_context_tokens, unit: 'tokens'},
    ] as const;
    return (
        <dl class="parts">
            {rows.map((row) => (
                <div key={row.name}>
                    <dt>{row.name}</dt>
                    <dd><Figure value={row.value} explain={pool} unit={row.unit} /></dd>
                </div>
            ))}
        </dl>
    );
}

function Changes({memory, apply}: {memory: Memory; apply: ApplyChange})
{
    if (memory.changes.length === 0)
        return null;
    return (
        <div>
            <h3>Smallest changes with which it fits</h3>
            <ul class="lines">
                {memory.changes.map((change) => (
                    <li key={change.id}>
                        <button type="button" onClick={() => apply(change.change)}>Apply</button>{' '}
                        <code>{changeWords(change.change)}</code> {change.why}{' '}
                        <span class="soft">
                            {figure(change.kv_token_capacity, 'tokens')} KV tokens
                            {change.devices !== null && change.devices > 1 && `, ${change.devices} devices`}
                        </span>
                    </li>
                ))}
            </ul>
        </div>
    );
}

export function MemoryChart({plan, embed, apply}: {plan: Plan; embed: boolean; apply: ApplyChange})
{
    const [picked, setPicked] = useState<Part | null>(null);
    const [box, width] = useWidth<HTMLDivElement>(560);
    const {memory} = plan;
    const parts = partsOf(plan);
    const {tone, word} = FIT[memory.verdict];
    const rows = () => parts.map((part) => ({
        part: part.id, title: part.title, bytes: part.bytes, low_bytes: part.term?.low_bytes,
        high_bytes: part.term?.high_bytes, basis: part.term?.basis ?? memory.basis, rule: part.term?.rule,
    }));
    return (
        <Frame id="memory" title="Memory of one device" rows={rows} embed={embed}
            words={<>
                <Badge tone={tone}>{word}</Badge>{' '}
                {memory.short_by_bytes > 0 && `short by ${figure(memory.short_by_bytes, 'bytes')} on each device. `}
                <Basis basis={memory.basis} />
            </>}>
            <div ref={box}><Drawing plan={plan} parts={parts} width={width} onPick={setPicked} /></div>
            <Capacity memory={memory} />
            {!embed && <Changes memory={memory} apply={apply} />}
            {!embed && <Parts parts={parts} />}
            {picked && <ExplainSheet explanation={picked.explain()} onClose={() => setPicked(null)} />}
        </Frame>
    );
}
