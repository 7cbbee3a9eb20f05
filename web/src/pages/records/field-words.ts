// field-words.ts - fields of records as people read them: names without underscores, figures with their units.
import {digits, figure} from '../../app/figures';
import type {Json} from '../../app/records';

const SHORT: Readonly<Record<string, string>> = {
    hf: 'Hugging Face', kv: 'KV', tp: 'TP', pp: 'PP', dp: 'DP', ep: 'EP', moe: 'MoE', mtp: 'MTP', tdp: 'TDP',
    l2: 'L2', lm: 'LM', ffn: 'FFN', ffns: 'FFNs', ttft: 'TTFT', tpot: 'TPOT', itl: 'ITL', cuda: 'CUDA', cpu: 'CPU',
    gpu: 'GPU', bf16: 'bf16', fp16: 'fp16', fp8: 'fp8', fp32: 'fp32', fp4: 'fp4', tf32: 'tf32', int8: 'int8', int4: 'int4', pcie: 'PCIe', sm: 'SM', cu: 'CU', n: 'number of',
    params: 'parameters', bw: 'bandwidth', mem: 'memory', err: 'error', abs: 'absolute', tok: 'tokens', usd: 'USD', us: 'µs',
    seqs: 'sequences', oom: 'out of memory', gguf: 'GGUF', gemm: 'GEMM', dim: 'dimension', url: 'address',
    num: 'number of', arch: 'architecture', elems: 'elements', recomputed: 'computed again',
};
const UNIT_WORDS = ['gbps', 'tflops'];
const UNIT_ENDINGS = /_(bytes|gib|gb|mib|mb|ms|us|w|tok_s)$/;

/** Names that say too little, or the same as another. */
const NAMED: Readonly<Record<string, string>> = {
    memory_gb: 'Memory, as sold', memory_bytes: 'Memory, as planned with', memory_usable_gib: 'Memory, usable',
    memory_bytes_basis: 'Basis of that', host_gbps_basis: 'Basis of that', mem_bw_gbps: 'Memory bandwidth',
    memory_bytes_nominal_gb: 'Memory, as sold', params_matmul_per_token: 'Parameters multiplied per token',
    moe: 'Experts', tok_s: 'tok/s',
};

/** "kv_bytes_per_token" is "KV bytes per token"; a unit that the figure shows is left out. */
export function label(name: string): string
{
    const known = NAMED[name];
    if (known)
        return known;
    const bare = name.replace(UNIT_ENDINGS, '').replace(/_abs_err(?=_|$)/, '_error');
    const words = bare.split(/[_.\s]/).filter((word) => word && !UNIT_WORDS.includes(word));
    const text = words.map((word) => SHORT[word] ?? word).join(' ');
    // Names of data types stay as they are written.
    return SHORT[words[0] ?? ''] === words[0] ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

const number = (value: number) =>
    value.toLocaleString('en-US', Number.isInteger(value) ? {} : {maximumSignificantDigits: 6});

interface Rule {
    readonly names: RegExp;
    readonly show: (value: number) => string;
}

/** How the figures of a field are written; the first rule whose names match, by the field's path. */
const RULES: readonly Rule[] = [
    {names: /tok_s(_per_\w+)?$/, show: (v) => `${digits(v)} tok/s`},
    {names: /usd/, show: (v) => figure(v, 'usd')},
    {names: /tflops/, show: (v) => `${number(v)} TFLOP/s`},
    {names: /gbps/, show: (v) => `${number(v)} GB/s`},
    {names: /bytes/, show: (v) => (Number.isInteger(v) && v < 1000 ? `${v} B` : figure(v, 'bytes'))},
    {names: /_gib$/, show: (v) => `${number(v)} GiB`},
    {names: /_gb$/, show: (v) => `${number(v)} GB`},
    {names: /_mib$/, show: (v) => `${number(v)} MiB`},
    {names: /_mb$/, show: (v) => `${number(v)} MB`},
    {names: /_us$/, show: (v) => figure(v, 'us')},
    {names: /_ms$/, show: (v) => figure(v, 'ms')},
    {names: /(tdp|power_limit)_w$|_w$/, show: (v) => `${number(v)} W`},
    {names: /(_err(_|$)|^bias|\.share$|^share$|residual$|_share$|^prefix_hit_rate$)/, show: (v) => figure(v, 'share')},
    {names: /^ridge/, show: (v) => `${digits(v)} FLOP/B`},
];

/** A figure with its unit; `path` is the field's own, dots and all. */
export function shownNumber(path: string, value: number): string
{
    const rule = RULES.find(({names}) => names.test(path));
    return rule ? rule.show(value) : number(value);
}

/** The figure in full, where what is shown was rounded. */
export function exactNumber(path: string, value: number): string | undefined
{
    const full = value.toLocaleString('en-US', {maximumFractionDigits: 9});
    return shownNumber(path, value).startsWith(full) ? undefined : full;
}

/** A scalar in words; what a record does not say is a dash. */
export function shown(path: string, value: Json | undefined): string
{
    if (value === null || value === undefined || value === '')
        return '–';
    if (typeof value === 'number')
        return shownNumber(path, value);
    if (typeof value === 'boolean')
        return value ? 'yes' : 'no';
    if (typeof value === 'string')
        return value;
    return JSON.stringify(value);
}
