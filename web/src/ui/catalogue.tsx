// catalogue.tsx - models and parts to choose from, by every name they have.
import {useCallback, useEffect, useState} from 'preact/hooks';
import {ask} from '../app/api';
import {digits, figure} from '../app/figures';
import {recordOf} from '../app/behind';
import {Combobox, type Option} from './combobox';

interface ModelRow {
    readonly id: string;
    readonly name: string;
    readonly aliases: readonly string[];
    readonly params_total: number;
    readonly params_active: number;
}

interface PartRow {
    readonly id: string;
    readonly name: string;
    readonly aliases: readonly string[];
    readonly memory_bytes: number;
    readonly mem_bw_gbps: number | null;
}

type Catalogue = 'models' | 'hardware';

const billions = (count: number) => `${digits(count / 1e9)} B`;

/** "8.03 B", or "235 B, 22 B active". */
function modelFacts(row: Pick<ModelRow, 'params_total' | 'params_active'>): string
{
    const total = billions(row.params_total);
    return row.params_active < row.params_total * 0.95 ? `${total}, ${billions(row.params_active)} active` : total;
}

/** "85.0 GB, 3,350 GB/s". */
function partFacts(row: Pick<PartRow, 'memory_bytes' | 'mem_bw_gbps'>): string
{
    const memory = figure(row.memory_bytes, 'bytes');
    return row.mem_bw_gbps ? `${memory}, ${Math.round(row.mem_bw_gbps).toLocaleString('en-US')} GB/s` : memory;
}

const factsOf: Readonly<Record<Catalogue, (row: ModelRow & PartRow) => string>> = {
    models: modelFacts,
    hardware: partFacts,
};

const loaded: Partial<Record<Catalogue, Promise<Option[]>>> = {};

/** Every record of a kind as options; asked once. */
export function optionsOf(kind: Catalogue): Promise<Option[]>
{
    const asked = loaded[kind] ??= ask<{items: (ModelRow & PartRow)[]}>(`/v1/${kind}?limit=1000`)
        .then(({items}) => items.map((row) => ({
            value: row.id, name: row.name, aliases: row.aliases, detail: factsOf[kind](row),
        })));
    asked.catch(() => {
        delete loaded[kind];
    });
    return asked;
}

/** The facts of what is chosen, once they are known; null for what is no record. */
function useFacts(kind: Catalogue, value: string): string | null
{
    const [facts, setFacts] = useState<string | null>(null);
    useEffect(() => {
        let alive = true;
        setFacts(null);
        if (value) {
            recordOf({kind, id: value}).then((row) => alive && setFacts(factsOf[kind](row as unknown as ModelRow & PartRow)),
                () => undefined);
        }
        return () => {
            alive = false;
        };
    }, [kind, value]);
    return facts;
}

interface PickProps {
    readonly kind: Catalogue;
    readonly label: string;
    readonly value: string;
    readonly onChange: (value: string) => void;
    /** The record that the value turned out to name; null while that is not known. */
    readonly resolved?: string | null;
    readonly optional?: boolean;
    readonly fault?: string | null;
    readonly suggestion?: string | null;
}

/** A searchable field for a model or a part. */
export function Pick({kind, label, value, onChange, resolved, optional, fault, suggestion}: PickProps)
{
    const [options, setOptions] = useState<readonly Option[] | null>(null);
    const load = useCallback(() => {
        void optionsOf(kind).then(setOptions, () => setOptions([]));
    }, [kind]);
    const facts = useFacts(kind, resolved === undefined ? value : resolved ?? '');
    return (
        <Combobox label={label} value={value} onChange={onChange} options={options} onOpen={load}
            {...facts ? {hint: facts} : {}} optional={optional ?? false} fault={fault ?? null} suggestion={suggestion ?? null} />
    );
}
