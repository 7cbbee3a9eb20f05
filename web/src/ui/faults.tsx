// faults.tsx - why the API refuses a request: every fault at once, with what was probably meant.
import type {Problem} from '../app/api';

interface FaultsProps {
    /** What did not happen: "Not planned". */
    readonly what: string;
    readonly problem: Problem;
}

export function FaultList({what, problem}: FaultsProps)
{
    return (
        <div class="faults" role="alert">
            <p class="fault">{what}: {problem.title.replace(/\.$/, '')}.</p>
            <ul>
                {problem.faults.map((fault) => (
                    <li key={`${fault.pointer} ${fault.detail}`}>
                        <code>{fault.pointer.replace(/^[?/]/, '') || 'request'}</code> {fault.detail}
                        {fault.suggestion && <span class="soft"> – did you mean {fault.suggestion}?</span>}
                    </li>
                ))}
            </ul>
        </div>
    );
}
