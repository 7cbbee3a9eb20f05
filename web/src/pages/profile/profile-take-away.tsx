// profile-take-away.tsx - the same question as a command, and its answer as a report for a terminal.
import {curlOf, shellWord} from '../../app/curl';
import {sendFile} from '../../app/upload';
import {CopyButton} from '../../ui/copy';
import {ReportButton} from '../../ui/report';
import {attributePath} from './profile-query';

export function TakeAway({file, query}: {file: File; query: URLSearchParams})
{
    const path = attributePath(query);
    // @ of curl names a file of the folder that it is run in.
    const command = () => `${curlOf(path)} -H 'Content-Type: application/octet-stream' --data-binary @${shellWord(file.name)}`;
    return (
        <>
            <CopyButton label="Copy curl" class="quiet" text={command} />
            <ReportButton load={() => sendFile(path, file, {accept: 'text/plain'})} />
        </>
    );
}
