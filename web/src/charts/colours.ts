// colours.ts - one hue for each thing a step waits for, the same in every chart and table.

/** Classes by what they wait for; a class that is not here is of the rest. */
const FAMILIES = {
    weights: ['dense_gemm', 'lm_head', 'moe_expert_gemm', 'moe_gating', 'moe_experts'],
    kv: ['decode_attention', 'attention', 'linear_attention', 'sparse_indexer', 'kv_write', 'state_update', 'kv_transfer'],
    compute: ['prefill_attention', 'speculative_draft', 'logit_processors_device'],
    host: ['host_sampling', 'sampling', 'logit_processors_host', 'detokenization', 'structured_output', 'scheduler',
        'server_loop', 'tokenization', 'memcpy_h2d', 'memcpy_d2h'],
    launch: ['kernel_launch'],
    link: ['collective'],
    rest: ['norm_elementwise'],
} as const;

export type Family = keyof typeof FAMILIES;

export const REGIME_FAMILY: Readonly<Record<string, Family>> = {
    capacity: 'rest',
    host_bound_batch: 'host',
    weight_bandwidth: 'weights',
    kv_bandwidth: 'kv',
    prefill_compute: 'compute',
    decode_compute: 'compute',
    small_model_host: 'launch',
    interconnect: 'link',
};

export function familyOf(className: string): Family
{
    const found = Object.entries(FAMILIES).find(([, names]) => (names as readonly string[]).includes(className));
    return (found?.[0] ?? 'rest') as Family;
}

export const familyColour = (family: Family) => `var(--c-${family})`;
export const classColour = (className: string) => familyColour(familyOf(className));
