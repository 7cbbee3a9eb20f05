// words.ts - names of the API as people say them.

const BOUNDS: Readonly<Record<string, string>> = {
    hbm_bandwidth: 'memory bandwidth',
    compute: 'compute',
    interconnect: 'links between devices',
    host_link: 'link to the host',
    host_pipeline: 'host work',
    launch_overhead: 'launch overhead',
};

const AXES: Readonly<Record<string, string>> = {
    concurrency: 'Concurrency',
    context: 'Input tokens',
    output_tokens: 'Output tokens',
    model_size: 'Model size, billion parameters',
    bandwidth: 'Memory bandwidth, GB/s',
    tp: 'Tensor parallel',
    sampler: 'Sampler',
};

const plain = (id: string) => id.replaceAll('_', ' ');

export const boundWords = (bound: string) => BOUNDS[bound] ?? plain(bound);
export const axisWords = (axis: string) => AXES[axis] ?? plain(axis);
export const regimeWords = plain;

/** Numbers stay on one line with their units. */
const joined = (text: string) =>
    text.replace(/(\d) (?=(?:%|[kMGTP]?B|[nµm]?s|us|TFLOP|GFLOP|tok)(?![a-z]))/g, '$1\u00a0');

/** "Every step …." from "every step …"; names such as tp or dense_gemm keep their letters. */
export function sentence(text: string): string
{
    const trimmed = joined(text.trim());
    const isName = /^([tpde]p|\w*_\w*)\b/.test(trimmed);
    const begun = isName ? trimmed : trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
    return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
