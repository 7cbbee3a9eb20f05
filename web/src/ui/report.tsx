// report.tsx - a button that asks for the answer as a report for a terminal and shows it.
import {useState} from 'preact/hooks';
import {problemFrom} from '../app/api';
import {CopyButton} from './copy';
import {Sheet} from './sheet';

export function ReportButton({load}: {load: () => Promise<string>})
{
    const [report, setReport] = useState<string | null>(null);
    const [waiting, setWaiting] = useState(false);
    const show = async () => {
        setWaiting(true);
        try {
            setReport(await load());
        } catch (error) {
            setReport(problemFrom(error).title);
        }
        setWaiting(false);
    };
    return (
        <>
            <button type="button" class="quiet" disabled={waiting} onClick={() => void show()}>Text report</button>
            {report !== null && (
                <Sheet title="Text report" wide onClose={() => setReport(null)}>
                    <p><CopyButton label="Copy the report" text={() => report} /></p>
                    <pre class="report" tabIndex={0}>{report}</pre>
                </Sheet>
            )}
        </>
    );
}
