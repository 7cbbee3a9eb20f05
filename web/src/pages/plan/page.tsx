// page.tsx - the plan of one configuration.
import {useAnswer} from '../../app/api';
import {addressOf} from '../../app/location';
import type {PageProps} from '../../app/pages';

interface Plan {
    regime: {id: string; title: string; because: string};
}

export default function PlanPage({place}: PageProps)
{
    const query = new URLSearchParams(place.query);
    query.delete('embed');
    if (!query.has('model'))
        query.set('model', 'llama-3.1-8b');
    if (!query.has('hardware'))
        query.set('hardware', 'h100-sxm');
    const {data, problem} = useAnswer<Plan>(addressOf('/v1/plan', query));

    return (
        <section class="card" aria-live="polite">
            <h1>{data?.regime.title ?? 'Planning'}</h1>
            {data && <p>{data.regime.because}</p>}
            {problem && <p class="fault">{problem.title}</p>}
        </section>
    );
}
