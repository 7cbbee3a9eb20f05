// take-away.tsx - the plan as a link, and as a command that asks the API for it.
import {curlOf} from '../../app/curl';
import {addressOf} from '../../app/location';
import {questionOf} from '../../app/plan-question';
import {CopyButton} from '../../ui/copy';

export function TakeAway({query}: {query: URLSearchParams})
{
    const {path, body} = questionOf('/v1/plan', query);
    return (
        <>
            <CopyButton label="Copy link" text={() => location.origin + addressOf('/', query)} />
            <CopyButton label="Copy curl" text={() => curlOf(path, body)} />
            <a class="button compare-link" href={addressOf('/compare', query)}>Compare with another</a>
        </>
    );
}
