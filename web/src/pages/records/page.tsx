// page.tsx - the records: what there is, a list, one record, disputes, the backtest.
import type {PageProps} from '../../app/pages';
import {BacktestPage} from './backtest';
import {DisputesPage} from './disputes';
import {kindOf} from './kinds';
import {List} from './list';
import {Overview} from './overview';
import {RecordPage} from './record';

export default function RecordsPage({place, rest, embed}: PageProps)
{
    const kind = kindOf(rest[0]);
    const id = place.query.get('id');
    if (rest.length === 0)
        return <Overview />;
    if (rest[0] === 'backtest')
        return <BacktestPage place={place} embed={embed} />;
    if (rest[0] === 'disputes')
        return <DisputesPage />;
    if (kind && id)
        return <RecordPage key={`${kind.kind}/${id}`} kind={kind} id={id} />;
    if (kind)
        return <List key={kind.kind} kind={kind} place={place} />;
    return (
        <>
            <h1>No such records</h1>
            <p>There are no records called “{rest.join('/')}”. <a href="/records">What there is</a></p>
        </>
    );
}
