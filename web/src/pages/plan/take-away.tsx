// take-away.tsx - the plan as a link, and as a command that asks the API for it.
import {addressOf} from '../../app/location';
import {questionOf} from '../../app/plan-question';
import {CopyButton} from '../../ui/copy';

function curlOf(query: URLSearchParams): string
{
    const {path, body} = questionOf('/v1/plan', query);
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    return body === undefined ? `curl ${quoted(location.origin + path)}`
        : `curl ${quoted(location.origin + path)} --json ${quoted(JSON.stringify(body))}`;
}

export function TakeAway({query}: {query: URLSearchParams})
{
    return (
        <>
            <CopyButton label="Copy link" text={() => location.origin + addressOf('/', query)} />
            <CopyButton label="Copy curl" text={() => curlOf(query)} />
            <a class="button compare-link" href={addressOf('/compare', query)}>Compare with another</a>
        </>
    );
}
