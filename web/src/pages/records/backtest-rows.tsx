// backtest-rows.tsx - the figures farthest off, and why where that is known.
import {useEffect, useState} from 'preact/hooks';
import {addressOfRecord} from '../../app/behind';
import type {BacktestRow, LeftOut} from '../../app/backtest';
import {digits, figure} from '../../app/figures';
import {planAddress} from '../../app/records';
import {Badge} from '../../ui/badge';
import {Scroll} from '../../ui/scroll';

const STEP = 25;

function Conditions({row}: {row: BacktestRow})
{
    const {model, hardware, engine, engine_version: version, n_devices: devices, weights, input_tokens: input,
        output_tokens: output, concurrency} = row.conditions;
    return (
        <>
            <a href={addressOfRecord({kind: 'anchors', id: row.anchor})}>{model} on {devices ?? 1} × {hardware}</a>
            <span class="soft"> {engine} {version}, {weights}, {input ?? '–'} in, {output ?? '–'} out, concurrency {concurrency ?? '–'}</span>
        </>
    );
}

function Why({row}: {row: BacktestRow})
{
    const why = row.explanation;
    if (!why)
        return <>–</>;
    return (
        <details class="why">
            <summary>{why.cause === 'unknown' ? 'looked at, cause unknown' : `cause ${why.cause}`}</summary>
            <p>{why.why}</p>
            {why.source?.url && <p><a class="outside" href={why.source.url} rel="noreferrer">{why.source.title ?? 'source'}</a></p>}
        </details>
    );
}

function Line({row, mode}: {row: BacktestRow; mode: LeftOut})
{
    const found = row.left_out[mode];
    return (
        <tr>
            <th scope="row" class="wide"><Conditions row={row} /></th>
            <td class="number">{digits(row.measured)} {row.unit}</td>
            <td class="number">{found ? digits(found.predicted) : '–'}
                {found && found.low !== null && found.high !== null &&
                    <span class="soft"> ({digits(found.low)} to {digits(found.high)})</span>}</td>
            <td class="number">{figure(found?.error, 'change')}</td>
            <td>{found && found.inside !== null
                ? <Badge tone={found.inside ? 'good' : 'bad'}>{found.inside ? 'inside' : 'outside'}</Badge> : '–'}</td>
            <td class="wide"><Why row={row} /></td>
            <td>{row.links.plan && <a href={planAddress(row.links.plan)}>Plan</a>}</td>
        </tr>
    );
}

export function WorstRows({rows, mode, total}: {rows: readonly BacktestRow[]; mode: LeftOut; total: number})
{
    const [most, setMost] = useState(STEP);
    const first = rows[0]?.anchor;
    useEffect(() => setMost(STEP), [first]);
    return (
        <section class="card" aria-labelledby="worst">
            <h2 id="worst">Farthest off first</h2>
            <Scroll label="Farthest off first">
                <table class="records">
                    <thead><tr>
                        <th scope="col">Measurement</th><th scope="col" class="number">Measured</th>
                        <th scope="col" class="number">Predicted</th><th scope="col" class="number">Off by</th>
                        <th scope="col">Interval</th><th scope="col">Why</th><th scope="col">Plan</th>
                    </tr></thead>
                    <tbody>{rows.slice(0, most).map((row) => <Line key={`${row.anchor} ${row.metric}`} row={row} mode={mode} />)}</tbody>
                </table>
            </Scroll>
            {most < rows.length && (
                <button type="button" onClick={() => setMost(most + STEP)}>
                    Show {Math.min(STEP, rows.length - most)} more of {total.toLocaleString('en-US')}
                </button>
            )}
        </section>
    );
}
