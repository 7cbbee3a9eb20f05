// overview.tsx - what there are records of, and how many.
import {useAnswer} from '../../app/api';
import type {RecordList} from '../../app/records';
import {KINDS} from './kinds';

function Count({path}: {path: string})
{
    const {data, problem} = useAnswer<{total: number}>(path);
    return <span class="count">{data ? data.total.toLocaleString('en-US') : problem ? '–' : '\u00a0'}</span>;
}

interface TileProps {
    readonly href: string;
    readonly title: string;
    readonly about: string;
    readonly count: string;
}

function Tile({href, title, about, count}: TileProps)
{
    return (
        <li class="card record-tile">
            <h3><a href={href}>{title}</a></h3>
            <Count path={count} />
            <p class="soft">{about}</p>
        </li>
    );
}

export function Overview()
{
    const asked = useAnswer<RecordList>('/v1/gaps?limit=5');
    return (
        <>
            <h1>Records</h1>
            <p class="soft">Every figure of a plan rests on these. Each record names its sources, and where two sources
                disagree both are shown.</p>
            <section aria-labelledby="checked">
                <h2 id="checked">How far to trust them</h2>
                <ul class="record-tiles even">
                    <Tile href="/records/backtest" title="Backtest" count="/v1/backtest?limit=1"
                        about="Predicted against measured: every figure that engines were calibrated on, the measured cell left out." />
                    <Tile href="/records/disputes" title="Disputes" count="/v1/anchors?disputed=true&limit=1"
                        about="Measurements in doubt; besides them parts whose sources disagree and claims that do not hold." />
                    <Tile href="/records/gaps" title="Gaps" count="/v1/gaps?limit=1"
                        about={asked.data?.items[0] ? `Most wanted: ${String(asked.data.items[0].question ?? '')}`
                            : 'What nobody measured, most wanted first.'} />
                </ul>
            </section>
            <section aria-labelledby="kinds">
                <h2 id="kinds">Kinds</h2>
                <ul class="record-tiles">
                    {KINDS.filter(({kind}) => kind !== 'gaps').map((kind) => (
                        <Tile key={kind.kind} href={`/records/${kind.kind}`} title={kind.title} about={kind.about}
                            count={`/v1/${kind.kind}?limit=1`} />
                    ))}
                </ul>
            </section>
            <p class="soft">Cost classes, regimes and cures have pages of their own in <a href="/docs">the documentation</a>.</p>
        </>
    );
}
