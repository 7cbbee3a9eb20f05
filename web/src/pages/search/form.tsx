// form.tsx - what is searched for: models and parts, load, limits, and the space looked through.
import type {Fault} from '../../app/api';
import {ask, faultAt} from '../../app/api';
import {optionsOf} from '../../ui/catalogue';
import type {Option} from '../../ui/combobox';
import {SelectField, TextField} from '../../ui/fields';
import {Many} from '../../ui/many';
import {DRAFTS, LIMITS, listOf, NUMBER_LISTS, OBJECTIVES, PREFILL} from './search-settings';

export type Set = (changes: Readonly<Record<string, string>>) => void;

interface FormProps {
    readonly query: URLSearchParams;
    readonly faults: readonly Fault[];
    readonly set: Set;
}

const loadModels = () => optionsOf('models');
const loadParts = () => optionsOf('hardware');

interface NamedRow {
    readonly id: string;
    readonly name?: string;
    readonly title?: string;
    readonly use?: string;
    readonly deployable?: boolean;
}

const rows = (path: string) => ask<{items: NamedRow[]}>(path).then(({items}) => items);
const optionOf = (row: NamedRow): Option => ({value: row.id, name: row.name ?? row.title ?? row.id});

const loadEngines = () => rows('/v1/engines?limit=100').then((items) => items.map(optionOf));
const formatsFor = (use: string) => () => rows('/v1/formats?limit=1000')
    .then((items) => items.filter((row) => row.use === use && row.deployable !== false).map(optionOf));
const loadWeights = formatsFor('weights');
const loadKv = formatsFor('kv_cache');

function NumberField({name, label, at, query, faults, set, placeholder}:
    FormProps & {name: string; label: string; at: string; placeholder?: string})
{
    return <TextField label={label} numeric value={query.get(name) ?? ''} onChange={(value) => set({[name]: value})}
        fault={faultAt(faults, at)?.detail ?? null} {...placeholder ? {placeholder} : {}} />;
}

function ListField({name, label, add, at, empty, load, query, faults, set}: FormProps &
    {name: string; label: string; add: string; at: string; empty?: string; load: () => Promise<readonly Option[]>})
{
    const fault = faultAt(faults, at);
    return <Many label={label} add={add} values={listOf(query.get(name))} load={load} {...empty ? {empty} : {}}
        onChange={(values) => set({[name]: values.join(',')})} fault={fault?.detail ?? null}
        suggestion={fault?.suggestion ?? null} />;
}

function Load(props: FormProps)
{
    return (
        <fieldset class="search-group">
            <legend>Load of the whole service</legend>
            <NumberField {...props} name="concurrency" label="Requests in flight" at="/workload/concurrency" />
            <NumberField {...props} name="request_rate" label="or requests a second" at="/workload/request_rate" />
            <NumberField {...props} name="input_tokens" label="Input, tokens" at="/workload/input_tokens" placeholder="1024" />
            <NumberField {...props} name="output_tokens" label="Output, tokens" at="/workload/output_tokens" placeholder="256" />
        </fieldset>
    );
}

function Limits(props: FormProps)
{
    return (
        <fieldset class="search-group">
            <legend>Limits</legend>
            <NumberField {...props} name="ttft_ms" label="First token within, ms" at="/slo/ttft_ms" placeholder="none" />
            <NumberField {...props} name="tpot_ms" label="Each token within, ms" at="/slo/tpot_ms" placeholder="none" />
            <NumberField {...props} name="output_tok_s" label="Output at least, tok/s" at="/slo/output_tok_s" placeholder="none" />
            <NumberField {...props} name="devices_max" label="Devices at most" at="/space/devices" placeholder="8" />
        </fieldset>
    );
}

const NUMBER_LABELS: Readonly<Record<(typeof NUMBER_LISTS)[number], string>> = {
    tp: 'Tensor parallel', pp: 'Pipeline stages', dp: 'Data parallel', ep: 'Expert parallel', replicas: 'Replicas',
    chunked_prefill_tokens: 'Prefill chunk', max_num_seqs: 'Sequences at once',
};

function Space(props: FormProps)
{
    const {query, set} = props;
    return (
        <details class="search-space">
            <summary>What is looked through</summary>
            <ListField {...props} name="engine" label="Engines" add="Add an engine" at="/space/engine" load={loadEngines}
                empty="those that serve on the part" />
            <ListField {...props} name="weights" label="Weight formats" add="Add a format" at="/space/weights" load={loadWeights}
                empty="the checkpoint's own, and narrower ones that the part multiplies in" />
            <ListField {...props} name="kv_cache" label="KV formats" add="Add a KV format" at="/space/kv_cache" load={loadKv}
                empty="the engine's default, and fp8 where the part has it" />
            <SelectField label="Prefill runs" value={query.get('prefill') ?? ''} options={PREFILL}
                onChange={(prefill) => set({prefill})} />
            <SelectField label="Speculative decoding" value={query.get('drafts') ?? ''} options={DRAFTS}
                onChange={(drafts) => set({drafts})} />
            <div class="search-group">
                {NUMBER_LISTS.map((name) => (
                    <NumberField key={name} {...props} name={name} label={NUMBER_LABELS[name]} at={`/space/${name}`} placeholder="1,2,4" />
                ))}
                <NumberField {...props} name="devices_min" label="Devices at least" at="/space/devices" placeholder="1" />
            </div>
        </details>
    );
}

export function SearchForm(props: FormProps)
{
    const {query, set} = props;
    return (
        <form class="card search-form" aria-label="What to search for" onSubmit={(event) => event.preventDefault()}>
            <ListField {...props} name="model" label="Models" add="Add a model" at="/model" load={loadModels} />
            <ListField {...props} name="hardware" label="Hardware" add="Add a part" at="/hardware" load={loadParts} />
            <Load {...props} />
            <Limits {...props} />
            <div class="search-group search-rank-by">
                <SelectField label="Ranked by" value={query.get('objective') ?? 'cost'} options={OBJECTIVES}
                    onChange={(objective) => set({objective})} />
                <SelectField label="Shown" value={query.get('limit') ?? '10'}
                    options={LIMITS.map((value) => ({value, label: value}))} onChange={(limit) => set({limit})} />
            </div>
            <Space {...props} />
        </form>
    );
}
