// basis.tsx - where a number comes from, as a small badge.
import type {Basis} from '../app/records';

export const BASIS_WORDS: Readonly<Record<Basis, string>> = {
    measured: 'Somebody measured exactly this.',
    calibrated: 'Computed with constants fitted to measurements of this part or engine.',
    derived: 'Follows from published facts and the formula shown.',
    assumed: 'Rests on a constant that nobody has measured here.',
    'no record': 'Nobody has measured it: no expected value is given.',
};

export function BasisBadge({of}: {of: Basis})
{
    return <span class={`basis basis-${of.replace(' ', '-')}`} title={BASIS_WORDS[of]}>{of}</span>;
}
