// record.tsx - one record: every field, with the sources that state it beside it.
import {useEffect} from 'preact/hooks';
import {useAnswer, type Problem} from '../../app/api';
import {addressOfRecord} from '../../app/behind';
import {disputesOf, isList, provenanceOf, textAt, titleOf, type Facts, type Provenance} from '../../app/records';
import {Badge} from '../../ui/badge';
import {Crumbs} from './crumbs';
import {Value} from './field-values';
import {toneOfVerdict, type Kind} from './kinds';
import {Metrics} from './metrics';
import {relatedOf} from './related';
import {Disputes, disputesOfField, ofEverything, Source, sourcesOf, SourceTable} from './sources';
import {label} from './field-words';

/** Shown elsewhere on the page than among the fields. */
const ELSEWHERE = ['id', 'title', 'aliases', 'provenance', 'disputes', 'revision'];

interface RowProps {
    readonly kind: Kind;
    readonly facts: Facts;
    readonly name: string;
    readonly sources: readonly Provenance[];
}

function Row({kind, facts, name, sources}: RowProps)
{
    const own = sourcesOf(kind, sources, name);
    const disputes = disputesOfField(kind, disputesOf(facts), name);
    return (
        <div class="fact">
            <dt title={name}>{label(name)}{disputes.length > 0 && <> <a class="badge tone-doubt" href="#disputes">disputed</a></>}</dt>
            <dd>{name === 'metrics' ? <Metrics facts={facts} />
                : name === 'verdict' ? <Badge tone={toneOfVerdict(textAt(facts, name))}>{textAt(facts, name).replaceAll('_', ' ')}</Badge>
                : <Value name={name} path={name} value={facts[name]} />}</dd>
            {own.length > 0 && (
                <dd class="fact-sources"><ul class="plain-list">
                    {own.map((source, i) => <li key={i}><Source source={source} /></li>)}
                </ul></dd>
            )}
        </div>
    );
}

/** The record's fields under the headings of its kind. */
function groupsOf(kind: Kind, facts: Facts): readonly (readonly [string, readonly string[]])[]
{
    const names = Object.keys(facts).filter((name) => !ELSEWHERE.includes(name));
    const stated = kind.groups ?? [];
    const placed = stated.flatMap(([, fields]) => fields);
    return [...stated, [stated.length ? 'Also' : 'Fields', names.filter((name) => !placed.includes(name))] as const]
        .map(([title, fields]) => [title, fields.filter((name) => facts[name] !== undefined && facts[name] !== '')] as const)
        .filter(([, fields]) => fields.length > 0);
}

interface GroupProps {
    readonly kind: Kind;
    readonly facts: Facts;
    readonly title: string;
    readonly fields: readonly string[];
    readonly sources: readonly Provenance[];
}

/** Fields under a heading; a source that states all of them stands beside the heading, once. */
function Group({kind, facts, title, fields, sources}: GroupProps)
{
    const common = fields.length < 2 ? []
        : sources.filter((source) => fields.every((name) => sourcesOf(kind, [source], name).length > 0));
    const others = sources.filter((source) => !common.includes(source));
    return (
        <section class="card fact-group" aria-label={title}>
            <h2>{title}</h2>
            {common.length > 0 && (
                <ul class="plain-list fact-sources group-sources" aria-label={`Sources of all of “${title}”`}>
                    {common.map((source, i) => <li key={i}><Source source={source} /></li>)}
                </ul>
            )}
            <dl class="facts">{fields.map((name) => (
                <Row key={name} kind={kind} facts={facts} name={name} sources={others} />
            ))}</dl>
        </section>
    );
}

function Unknown({kind, id, problem}: {kind: Kind; id: string; problem: Problem})
{
    const suggestion = problem.faults.find((fault) => fault.suggestion)?.suggestion;
    return (
        <>
            <Crumbs trail={[['/records', 'Records'], [`/records/${kind.kind}`, kind.title]]} title={`No ${kind.one} “${id}”`} />
            <p role="alert">{problem.title}</p>
            {suggestion && <p>Did you mean <a href={addressOfRecord({kind: kind.kind, id: suggestion})}>{suggestion}</a>?</p>}
        </>
    );
}

function Head({kind, facts}: {kind: Kind; facts: Facts})
{
    const aliases = isList(facts.aliases) ? facts.aliases.map(String) : [];
    const id = textAt(facts, 'id');
    return (
        <>
            <Crumbs trail={[['/records', 'Records'], [`/records/${kind.kind}`, kind.title]]} title={titleOf(facts)}>
                {relatedOf(kind.kind, facts).map(([href, text]) => <a key={href + text} href={href}>{text}</a>)}
                <a href={`/v1/${kind.kind}/${encodeURIComponent(id)}`}>JSON</a>
            </Crumbs>
            <p class="soft record-names">
                <code>{id}</code>
                {facts.revision !== undefined && <> · revision {String(facts.revision)}</>}
                {aliases.length > 0 && <> · also called {aliases.join(', ')}</>}
            </p>
        </>
    );
}

function Found({kind, facts}: {kind: Kind; facts: Facts})
{
    const sources = provenanceOf(facts);
    const disputes = disputesOf(facts);
    const doubt = textAt(facts, 'disputed');
    const general = sources.filter(ofEverything);
    return (
        <>
            <Head kind={kind} facts={facts} />
            {doubt && <section class="card disputes" aria-label="In doubt">
                <h2>In doubt{textAt(facts, 'flag') && `: ${textAt(facts, 'flag').replaceAll('_', ' ')}`}</h2><p>{doubt}</p>
            </section>}
            {disputes.length > 0 && <Disputes disputes={disputes} />}
            {general.length > 0 && <p class="general">All fields: {general.map((source, i) => (
                <span key={i}>{i > 0 && '; '}<Source source={source} /></span>))}</p>}
            {groupsOf(kind, facts).map(([title, fields]) => (
                <Group key={title} kind={kind} facts={facts} title={title} fields={fields} sources={sources} />
            ))}
            {sources.length > 0 && <SourceTable sources={sources} />}
        </>
    );
}

export function RecordPage({kind, id}: {kind: Kind; id: string})
{
    const {data, problem} = useAnswer<Facts>(`/v1/${kind.kind}/${encodeURIComponent(id)}`);
    const title = data ? titleOf(data) : null;
    useEffect(() => {
        if (!title)
            return;
        const before = document.title;
        document.title = `${title} · Regime`;
        return () => {
            document.title = before;
        };
    }, [title]);
    if (problem)
        return <Unknown kind={kind} id={id} problem={problem} />;
    return data ? <Found kind={kind} facts={data} /> : <h1>{kind.one} {id}</h1>;
}
