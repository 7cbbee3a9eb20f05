// media.ts - whether the window is as a media query says.
import {useEffect, useState} from 'preact/hooks';

export function useMedia(query: string): boolean
{
    const [matches, setMatches] = useState(() => matchMedia(query).matches);
    useEffect(() => {
        const media = matchMedia(query);
        const update = () => setMatches(media.matches);
        media.addEventListener('change', update);
        return () => media.removeEventListener('change', update);
    }, [query]);
    return matches;
}
