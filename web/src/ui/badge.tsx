// badge.tsx - small marks: how a figure is known, and short standing words such as a verdict.
import type {ComponentChildren} from 'preact';

/** What each basis means. */
export const BASES: Readonly<Record<string, string>> = {
    measured: 'somebody measured it',
    calibrated: 'a model fitted to measurements gives it',
    derived: 'it follows from published or measured figures by arithmetic',
    published: 'a source states it',
    assumed: 'nobody stated or measured it: a plausible value stands for it',
    'no record': 'nobody measured it',
};

/** How a figure is known; the meaning of the word is its tooltip. */
export function Basis({basis}: {basis: string | null | undefined})
{
    const word = basis ?? 'no record';
    return <span class={`badge basis-${word.replaceAll(' ', '-')}`} title={BASES[word]}>{word}</span>;
}

export type Tone = 'good' | 'bad' | 'doubt' | 'plain';

export function Badge({tone = 'plain', title, children}:
    {tone?: Tone; title?: string | undefined; children: ComponentChildren})
{
    return <span class={`badge tone-${tone}`} title={title}>{children}</span>;
}
