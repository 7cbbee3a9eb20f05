// disputes.tsx - what is in doubt: measurements, facts that sources disagree on, claims that do not hold.
import {useAnswer} from '../../app/api';
import {addressOfRecord} from '../../app/behind';
import {disputesOf, textAt, titleOf, type RecordList} from '../../app/records';
import {Scroll} from '../../ui/scroll';
import {Crumbs} from './crumbs';
import {KINDS, kindOf, toneOfVerdict, type Kind} from './kinds';
import {RecordTable} from './list';
import {DisputeCells, DISPUTE_HEADS} from './sources';

const SHOWN = 50;

function Measurements({kind}: {kind: Kind})
{
    const {data} = useAnswer<RecordList>(`/v1/anchors?disputed=true&limit=${SHOWN}`);
    return (
        <section class="card" aria-labelledby="in-doubt">
            <h2 id="in-doubt">{data ? `${data.total.toLocaleString('en-US')} measurements in doubt` : 'Measurements in doubt'}</h2>
            <p class="soft">They stay on record, and no fit rests on them.</p>
            <RecordTable kind={kind} items={data?.items ?? []} caption="Measurements in doubt" />
            <p><a href="/records/anchors?disputed=true">All of them</a></p>
        </section>
    );
}

function Facts({kind}: {kind: Kind})
{
    const {data} = useAnswer<RecordList>(`/v1/${kind.kind}?limit=1000`);
    const rows = (data?.items ?? []).flatMap((facts) => disputesOf(facts).map((dispute) => ({facts, dispute})));
    const id = `disagree-${kind.kind}`;
    return (
        <section class="card" aria-labelledby={id}>
            <h2 id={id}>{rows.length ? `${rows.length} times ` : ''}sources disagree on a {kind.one}</h2>
            <Scroll label={kind.title}>
                <table class="disputes-table">
                    <thead><tr><th scope="col">{kind.title}</th>{DISPUTE_HEADS}</tr></thead>
                    <tbody>{rows.map(({facts, dispute}, i) => (
                        <tr key={i}>
                            <th scope="row"><a href={addressOfRecord({kind: kind.kind, id: textAt(facts, 'id')})}>{titleOf(facts)}</a></th>
                            <DisputeCells dispute={dispute} />
                        </tr>
                    ))}</tbody>
                </table>
            </Scroll>
        </section>
    );
}

function Claims({kind}: {kind: Kind})
{
    const {data} = useAnswer<RecordList>('/v1/claims?limit=1000');
    const items = (data?.items ?? []).filter((facts) => toneOfVerdict(textAt(facts, 'verdict')) !== 'good');
    return (
        <section class="card" aria-labelledby="not-right">
            <h2 id="not-right">{items.length || ''} claims that do not hold as they stand</h2>
            <RecordTable kind={kind} items={items} caption="Claims that do not hold as they stand" />
        </section>
    );
}

export function DisputesPage()
{
    const anchors = kindOf('anchors');
    const claims = kindOf('claims');
    return (
        <>
            <Crumbs trail={[['/records', 'Records']]} title="Disputes" />
            <p class="soft">Where sources, measurements or claims do not agree, both sides are kept with the reason for the
                one that is taken.</p>
            <div class="stacked">
                {KINDS.filter(({disputed}) => disputed).map((kind) => <Facts key={kind.kind} kind={kind} />)}
                {claims && <Claims kind={claims} />}
                {anchors && <Measurements kind={anchors} />}
            </div>
        </>
    );
}
