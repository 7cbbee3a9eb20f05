// base.ts - what somebody stated of a plan, as a request body: what the API resolved without what it assumed.

export interface Resolved {
    readonly request: Readonly<Record<string, unknown>>;
    /** Pointers of the leaves that the plan filled in. */
    readonly assumed: readonly string[];
}

type Tree = Record<string, unknown>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy without the leaves named, without nulls and without objects that are empty then. */
function without(tree: Tree, dropped: ReadonlySet<string>, at: string): Tree
{
    const kept: Tree = {};
    for (const [name, value] of Object.entries(tree)) {
        const place = `${at}/${name}`;
        const copy = isTree(value) ? without(value, dropped, place) : value;
        if (copy !== null && !dropped.has(place) && !(isTree(copy) && Object.keys(copy).length === 0))
            kept[name] = copy;
    }
    return kept;
}

/** A request that plans the same, and leaves open what was open. */
export const statedOf = (plan: Resolved) => without(plan.request, new Set(plan.assumed), '');

/** The value at a pointer of a resolved request. */
export function leafOf(request: Resolved['request'], pointer: string): unknown
{
    return pointer.slice(1).split('/').reduce<unknown>((at, name) => isTree(at) ? at[name] : undefined, request);
}
