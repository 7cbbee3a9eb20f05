// page.tsx - a measured profile: where its time went, beside what the planner's budget gives it.
import {useState} from 'preact/hooks';
import type {Problem} from '../../app/api';
import type {Attribution} from '../../app/attribution';
import {figure} from '../../app/figures';
import {setQuery} from '../../app/location';
import {useMedia} from '../../app/media';
import type {PageProps} from '../../app/pages';
import {useUpload} from '../../app/upload';
import {DropZone} from '../../ui/drop';
import {FaultList} from '../../ui/faults';
import {Answer} from './profile-answer';
import {Keep} from './keep';
import {Of} from './of';
import {attributePath, attributeQuery} from './profile-query';
import {TakeAway} from './profile-take-away';

const WIDE = '(min-width: 760px)';
/** Time for the rest of several settings before the file is sent again. */
const DELAY_MS = 300;

/** The file outlives the page, so that the way back from another one finds it. */
let kept: File | null = null;

function Nothing()
{
    return (
        <div class="drop-words">
            <p>or drop one anywhere here, or paste a table.</p>
            <p class="soft">Chrome traces of PyTorch (CUDA and ROCm, plain or .gz), nsys stats, rocprofv3 kernel stats, key_averages
                tables, layerwise trees of vLLM, kernel tables of SGLang, GGML performance logs, timings of llama.cpp.</p>
        </div>
    );
}

function Progress({sent, file}: {sent: number; file: File})
{
    const words = sent < 1 ? `${figure(sent * file.size, 'bytes')} of ${figure(file.size, 'bytes')} sent` : 'Sent; it is being read';
    return (
        <p class="profile-progress">
            <progress max="1" value={sent < 1 ? sent : undefined} aria-label="Upload" /> {words}
        </p>
    );
}

interface FileProps {
    readonly file: File;
    readonly query: URLSearchParams;
    readonly sent: number | null;
    readonly problem: Problem | null;
    readonly onAgain: () => void;
    readonly onClose: () => void;
}

function FileLine({file, query, sent, problem, onAgain, onClose}: FileProps)
{
    return (
        <div class="drop-words">
            <p class="profile-file">
                <strong>{file.name}</strong> <span class="soft">{figure(file.size, 'bytes')}</span>{' '}
                <button type="button" class="quiet" onClick={onAgain} disabled={sent !== null}>Send again</button>
                <button type="button" class="quiet" onClick={onClose}>Close it</button>
                {!problem && <TakeAway file={file} query={query} />}
            </p>
        </div>
    );
}

export default function ProfilePage({place, embed}: PageProps)
{
    const [file, setFile] = useState(kept);
    const [turn, setTurn] = useState(0);
    const wide = useMedia(WIDE);
    const query = attributeQuery(place.query);
    const {data, problem, sent} = useUpload<Attribution>(attributePath(query), file, turn, turn === 0 ? 0 : DELAY_MS);
    const choose = (next: File | null) => {
        kept = next;
        setFile(next);
        setTurn((before) => before + 1);
    };
    if (embed)
        return <p role="alert">A profile is a file of whoever drops it: there is nothing to embed before one is there.</p>;
    return (
        <div class="profile">
            <section class="card profile-in" aria-labelledby="profile-title">
                <h1 id="profile-title">Profile</h1>
                <p class="soft profile-lead">Where the time of a measured step went, class by class, beside what the planner
                    gives each class. The file goes to this service alone and is not kept.</p>
                <DropZone label={file ? 'Choose another' : 'Choose a profile'} pastedName="pasted.txt" compact={file !== null}
                    onFiles={([first]) => first && choose(first)}>
                    {file ? <FileLine file={file} query={query} sent={sent} problem={problem} onClose={() => choose(null)}
                        onAgain={() => setTurn((before) => before + 1)} /> : <Nothing />}
                </DropZone>
                <Of query={query} faults={problem?.faults ?? []} set={setQuery} open={wide || !file || problem !== null} />
            </section>
            <div class="profile-answer" aria-busy={sent !== null} aria-live="polite">
                {file && sent !== null && <Progress sent={sent} file={file} />}
                {problem && sent === null && <FaultList what="Not read" problem={problem} />}
                {data && <Answer attribution={data} stale={sent !== null} />}
                {file && data && !data.refused && data.shares.length > 0 && <Keep file={file} query={query} />}
            </div>
        </div>
    );
}
