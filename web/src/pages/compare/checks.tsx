// checks.tsx - what a gate would ask of the candidate: memory, shapes, objectives, no regression.
import type {CheckResult} from '../../app/plan';
import {Badge} from '../../ui/badge';

const TONES = {pass: 'good', fail: 'bad', unknown: 'doubt'} as const;
const ORDER = ['fail', 'unknown', 'pass'];

function Line({check}: {check: CheckResult})
{
    return <li><Badge tone={TONES[check.verdict]}>{check.verdict}</Badge> {check.title}: <span class="soft">{check.detail}</span></li>;
}

export function Checks({checks}: {checks: readonly CheckResult[]})
{
    const sorted = [...checks].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
    const passed = checks.filter(({verdict}) => verdict === 'pass').length;
    return (
        <section class="card" aria-labelledby="checks">
            <h2 id="checks">Checks of the candidate: {passed} of {checks.length} pass</h2>
            <ul class="lines">{sorted.map((check) => <Line key={check.id} check={check} />)}</ul>
        </section>
    );
}
