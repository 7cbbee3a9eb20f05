// kernels.tsx - the kernels behind a bar, and what its classes mean.
import type {NamedTime} from '../../app/attribution';
import {figure} from '../../app/figures';
import {Badge} from '../../ui/badge';
import {Sheet} from '../../ui/sheet';
import type {BarRow} from './rows';

export function Names({names}: {names: readonly NamedTime[]})
{
    return (
        <table class="kernel-names">
            <thead><tr>
                <th scope="col">Kernel</th><th scope="col" class="number">Launches</th><th scope="col" class="number">Time</th>
                <th scope="col" class="number">Share</th>
            </tr></thead>
            <tbody>{names.map((row) => (
                <tr key={row.name}>
                    <td class="mono kernel-name">{row.name}{' '}
                        {row.ambiguous && <Badge tone="doubt" title="The name alone does not say it: the likeliest class stands">likeliest</Badge>}</td>
                    <td class="number">{figure(row.launches, 'tokens')}</td>
                    <td class="number">{figure(row.us, 'us')}</td>
                    <td class="number">{figure(row.share, 'share')}</td>
                </tr>
            ))}</tbody>
        </table>
    );
}

export function KernelSheet({row, onClose}: {row: BarRow; onClose: () => void})
{
    return (
        <Sheet title={<span class="mono">{row.name}</span>} wide onClose={onClose}>
            {row.classes.length === 0 && <p>The planner gives it time; the profile has no kernel of it.</p>}
            {row.classes.map((one) => (
                <section key={one.class}>
                    {row.classes.length > 1 && <h3 class="mono">{one.class}</h3>}
                    <Names names={one.names} />
                    {one.names.length < (one.kernels ?? 0) && one.names.length >= 5 && <p class="soft">The largest ones.</p>}
                </section>
            ))}
            {row.unexplained === 'no class' && <p>Their names say nothing that is known, so they are in no class. They are not forced into one.</p>}
            {row.unexplained === 'no budget' && <p>No class of the planner speaks of it: it stands beside no budget.</p>}
            {row.budgetClasses.length > 0 && (
                <p>What does this mean: {row.budgetClasses.map((name, i) => (
                    <span key={name}>{i > 0 && ', '}<a class="mono" href={`/docs/classes/${name}`} target="_blank" rel="noreferrer">{name}</a></span>
                ))}</p>
            )}
        </Sheet>
    );
}
