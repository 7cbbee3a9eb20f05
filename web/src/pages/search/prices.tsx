// prices.tsx - what a device costs an hour: the price on record with its sources, or one's own.
import {addressOfRecord} from '../../app/behind';
import {figure} from '../../app/figures';
import type {PartPrice} from '../../app/search';
import {Basis} from '../../ui/badge';
import {TextField} from '../../ui/fields';
import type {Set} from './form';
import {pricesOf, pricesText} from './search-settings';

function Sources({of}: {of: PartPrice})
{
    return (
        <details>
            <summary>{of.records.length} on record{of.newest ? `, ${of.oldest} to ${of.newest}` : ''}</summary>
            <ul>
                {of.records.map((row) => (
                    <li key={row.id}>
                        <a href={addressOfRecord({kind: 'prices', id: row.id})}>{row.provider}</a> {figure(row.usd_per_device_hour, 'usd')}
                        <span class="soft"> {row.kind.replaceAll('_', ' ')}, {row.date ?? 'undated'}{row.counts ? '' : ', does not count'}</span>
                    </li>
                ))}
            </ul>
        </details>
    );
}

function Part({of, query, set}: {of: PartPrice; query: URLSearchParams; set: Set})
{
    const own = pricesOf(query);
    const given = of.basis === 'given';
    return (
        <div class="search-price">
            <TextField label={`${of.hardware}, USD per device and hour`} numeric value={own.get(of.hardware) ?? ''}
                placeholder={of.price.usd_per_device_hour === null ? 'no record' : String(of.price.usd_per_device_hour)}
                onChange={(value) => set({prices: pricesText(new Map(own).set(of.hardware, value))})} />
            <div>
                {of.price.usd_per_device_hour === null ? <Basis basis="no record" />
                    : <span><strong>{figure(of.price.usd_per_device_hour, 'usd')}</strong> <span class="soft">
                        {given ? 'as given here' : of.price.source}{!given && of.price.date ? `, ${of.price.date}` : ''}</span></span>}
                {of.records.length > 0 && <Sources of={of} />}
            </div>
        </div>
    );
}

export function Prices({prices, query, set}: {prices: readonly PartPrice[]; query: URLSearchParams; set: Set})
{
    return (
        <section class="card" aria-labelledby="prices-title">
            <h2 id="prices-title">Prices</h2>
            {prices.map((price) => <Part key={price.hardware} of={price} query={query} set={set} />)}
        </section>
    );
}
