// found.tsx - what the file is, in a sentence and in figures, and what is known of the run.
import type {Attribution} from '../../app/attribution';
import {figure} from '../../app/figures';
import {Badge} from '../../ui/badge';
import {sentence} from '../plan/words';

function headline(attribution: Attribution): string
{
    const {dominant, host, phase, shares} = attribution;
    const step = phase === 'unknown' ? 'the device time' : `the device time of ${phase}`;
    if (attribution.refused)
        return 'This file cannot tell where the time goes';
    if ((host.share ?? 0) >= 0.5)
        return `The device is idle for ${figure(host.share, 'share')} of the time`;
    const longest = [...attribution.parts].filter((row) => row.part !== 'total').sort((a, b) => b.us - a.us)[0];
    if (shares.length === 0 && longest)
        return `${longest.part} takes ${figure(longest.share, 'share')} of the time`;
    const leading = shares.find((row) => row.class === dominant);
    return leading ? `${leading.class} takes ${figure(leading.share, 'share')} of ${step}` : `No known class leads ${step}`;
}

interface Tile {
    readonly name: string;
    readonly value: string;
    readonly note: string;
}

function tilesOf(attribution: Attribution): Tile[]
{
    const {span_us, busy_us, idle_us, host, covered_share, listed_share, sum_us, overlap_share, steps} = attribution;
    const overlap = overlap_share !== null && overlap_share > 0.0005 ? `, ${figure(overlap_share, 'share')} overlaps` : '';
    return [
        {name: 'Span', value: figure(span_us, 'us'), note: steps === null ? 'steps not known' : `${figure(steps, 'tokens')} ${steps === 1 ? 'step' : 'steps'}`},
        {name: 'Busy', value: figure(busy_us, 'us'), note: sum_us === null || attribution.shares.length === 0 ? '' : `kernels sum to ${figure(sum_us, 'us')}${overlap}`},
        {name: 'Idle', value: figure(idle_us, 'us'), note: host.share === null ? '' : `${figure(host.share, 'share')} of the span`},
        ...attribution.shares.length === 0 ? [] : [{name: 'Covered', value: figure(covered_share, 'share'),
            note: listed_share === null ? 'of the device time has a class' : `the file lists ${figure(listed_share, 'share')} of the device time`}],
    ];
}

const FROM: Readonly<Record<string, string>> = {query: 'as given', file: 'from the file', assumed: 'assumed'};

function Conditions({attribution}: {attribution: Attribution})
{
    const known = Object.entries(attribution.conditions).filter(([, row]) => row.value !== null && row.from !== null);
    const unknown = Object.entries(attribution.conditions).filter(([, row]) => row.value === null || row.from === null).map(([name]) => name);
    return (
        <>
            <dl class="pairs">
                {known.map(([name, {value, from}]) => (
                    <div key={name}>
                        <dt>{name}</dt>
                        <dd>{typeof value === 'number' ? value.toLocaleString('en-US') : value}{' '}
                            <span class="soft">{FROM[from ?? ''] ?? from}</span></dd>
                    </div>
                ))}
            </dl>
            {unknown.length > 0 && <p class="soft profile-unknown">Not known: {unknown.join(', ')}.</p>}
        </>
    );
}

function Window({attribution}: {attribution: Attribution})
{
    const {window, span_us} = attribution;
    if (!window.from)
        return null;
    const outside = window.outside_us !== null && window.outside_us > 0
        ? ` ${figure(window.outside_us, 'us')} of device time lie outside of it.` : '';
    const recorded = window.recorded_span_us !== null && window.recorded_span_us !== span_us
        ? ` All that was recorded spans ${figure(window.recorded_span_us, 'us')}.` : '';
    return <p class="profile-window"><span class="soft">Window:</span> {sentence(window.from)}{recorded}{outside}</p>;
}

export function Found({attribution}: {attribution: Attribution})
{
    return (
        <section class="card profile-found" aria-labelledby="found-title">
            <h2 id="found-title" class="profile-headline">{headline(attribution)}</h2>
            {attribution.refused && <p class="profile-refused"><Badge tone="bad">refused</Badge> {sentence(attribution.refused)}</p>}
            <p class="profile-kind"><Badge>{attribution.format}</Badge> <Badge>{attribution.phase === 'unknown' ? 'phase not known' : attribution.phase}</Badge></p>
            {!attribution.refused && (
                <dl class="gauges">
                    {tilesOf(attribution).map(({name, value, note}) => (
                        <div class="gauge" key={name}>
                            <dt>{name}</dt>
                            <dd><span class="gauge-value"><span class="figure-value">{value === '–' ? 'not told' : value}</span></span>{' '}
                                <span class="soft gauge-range">{note}</span></dd>
                        </div>
                    ))}
                </dl>
            )}
            <Window attribution={attribution} />
            <Conditions attribution={attribution} />
            {attribution.warnings.length > 0 && (
                <ul class="lines" aria-label="Warnings">
                    {attribution.warnings.map((text) => <li key={text}><Badge tone="doubt">warning</Badge> {sentence(text)}</li>)}
                </ul>
            )}
        </section>
    );
}
