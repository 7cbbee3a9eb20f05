// width.ts - how wide an element is, for drawings that fit the page.
import {useEffect, useRef, useState} from 'preact/hooks';
import type {RefObject} from 'preact';

/** The element to measure and its width; `first` stands until it is measured. */
export function useWidth<T extends HTMLElement>(first: number): [RefObject<T | null>, number]
{
    const element = useRef<T>(null);
    const [width, setWidth] = useState(first);
    useEffect(() => {
        if (!element.current)
            return;
        const observer = new ResizeObserver(([entry]) => {
            if (entry && entry.contentRect.width > 0)
                setWidth(Math.floor(entry.contentRect.width));
        });
        observer.observe(element.current);
        return () => observer.disconnect();
    }, []);
    return [element, width];
}
