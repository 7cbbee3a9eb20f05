// keep.tsx - the measured shares as a record: with a token, a source and what the step was of.
import {useEffect, useId, useState} from 'preact/hooks';
import type {Problem} from '../../app/api';
import {addressOfRecord} from '../../app/behind';
import {sendFile, problemOfUpload} from '../../app/upload';
import {FaultList} from '../../ui/faults';
import {Sheet} from '../../ui/sheet';

const FIELDS = [
    {name: 'engine_version', label: 'Version of the engine', empty: '0.19.0'},
    {name: 'weights', label: 'Weights', empty: 'bf16'},
    {name: 'measured_on', label: 'Measured on', empty: '2026-11-30'},
    {name: 'source.title', label: 'Source', empty: 'who posts it'},
    {name: 'source.url', label: 'Address of the source', empty: 'https://'},
    {name: 'notes', label: 'Notes', empty: ''},
] as const;

/** A token of this tab, for the next profile too; it is kept nowhere else. */
let keptToken = '';

interface EntryProps {
    readonly label: string;
    readonly value: string;
    readonly secret?: boolean;
    readonly placeholder?: string;
    readonly onInput: (value: string) => void;
}

/** A field whose value is there with every key, for a form that Enter sends. */
function Entry({label, value, secret, placeholder, onInput}: EntryProps)
{
    const id = useId();
    const common = {
        id, value, placeholder, autocomplete: 'off', spellcheck: false,
        onInput: (event: {currentTarget: HTMLInputElement}) => onInput(event.currentTarget.value.trim()),
    };
    return (
        <div class="field">
            <label for={id}>{label}</label>
            {secret ? <input type="password" {...common} /> : <input type="text" {...common} />}
        </div>
    );
}

interface FormProps {
    readonly file: File;
    readonly query: URLSearchParams;
    readonly onClose: () => void;
}

function KeepSheet({file, query, onClose}: FormProps)
{
    const [token, setToken] = useState(keptToken);
    const [values, setValues] = useState<Readonly<Record<string, string>>>({weights: query.get('weights') ?? ''});
    const [waiting, setWaiting] = useState(false);
    const [problem, setProblem] = useState<Problem | null>(null);
    const [id, setId] = useState<string | null>(null);
    const keep = async () => {
        keptToken = token;
        const asked = new URLSearchParams(query);
        for (const [name, value] of Object.entries(values)) {
            if (value)
                asked.set(name, value);
        }
        setWaiting(true);
        setProblem(null);
        try {
            const reply = await sendFile(`/v1/attributions?${asked.toString()}`, file, {token});
            setId((JSON.parse(reply) as {id: string}).id);
        } catch (error) {
            setProblem(problemOfUpload(error));
        }
        setWaiting(false);
    };
    return (
        <Sheet title="Keep as a measurement" onClose={onClose}>
            {id !== null ? (
                <p role="status">Kept: <a class="mono" href={addressOfRecord({kind: 'anchors', id})}>{id}</a></p>
            ) : (
                <form onSubmit={(event) => {
                    event.preventDefault();
                    if (token && !waiting)
                        void keep();
                }}>
                    <p>The shares of this step become a record that predictions are held against, with the model, part and load
                        given on the page. The file itself is not kept.</p>
                    <div class="profile-keep">
                        <Entry label="Token" secret value={token} onInput={setToken} />
                        {FIELDS.map(({name, label, empty}) => (
                            <Entry key={name} label={label} placeholder={empty} value={values[name] ?? ''}
                                onInput={(value) => setValues((before) => ({...before, [name]: value}))} />
                        ))}
                    </div>
                    <p><button type="submit" class="main" disabled={waiting}>Keep it</button></p>
                    {problem && <FaultList what="Not kept" problem={problem} />}
                </form>
            )}
        </Sheet>
    );
}

export function Keep({file, query}: {file: File; query: URLSearchParams})
{
    const [open, setOpen] = useState(false);
    useEffect(() => setOpen(false), [file]);
    return (
        <section class="card profile-kept" aria-label="Keep">
            <p class="soft">With a token the shares become a measurement on record.</p>
            <button type="button" onClick={() => setOpen(true)}>Keep as a measurement</button>
            {open && <KeepSheet file={file} query={query} onClose={() => setOpen(false)} />}
        </section>
    );
}
