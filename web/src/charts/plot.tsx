// plot.tsx - Observable Plot in the page: drawn to the width there is, loaded when first needed.
import type {PlotOptions} from '@observablehq/plot';
import {useEffect, useRef, useState} from 'preact/hooks';

export type PlotModule = typeof import('@observablehq/plot');

interface PlotProps {
    /** Describes the chart at a width; the module is given so that charts share one copy of it. */
    readonly draw: (plot: PlotModule, width: number) => PlotOptions;
    /** Kept free before the first drawing, so that nothing moves. */
    readonly height: number;
    /** Drawn again when one of these changes. */
    readonly inputs: readonly unknown[];
    /** What the drawing says, for those who do not see it. */
    readonly label: string;
    /** What is under the pointer or the focus; null when nothing is. */
    readonly onPoint?: (datum: unknown) => void;
}

export function Plot({draw, height, inputs, label, onPoint}: PlotProps)
{
    const box = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(0);
    const [plot, setPlot] = useState<PlotModule | null>(null);

    useEffect(() => {
        void import('@observablehq/plot').then(setPlot);
    }, []);
    useEffect(() => {
        const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
        observer.observe(box.current!);
        return () => observer.disconnect();
    }, []);
    useEffect(() => {
        if (!plot || !width || !box.current)
            return;
        const drawing = plot.plot({
            height, width, className: 'plot', ariaLabel: label, style: {background: 'transparent'},
            ...draw(plot, width),
        });
        // The page's own style sheet has its rules: one inside the drawing is not allowed here.
        drawing.querySelectorAll('style').forEach((style) => style.remove());
        // A name belongs to the drawing as a whole; its groups have no role that may have one.
        drawing.setAttribute('role', 'img');
        drawing.querySelectorAll('g[aria-label]').forEach((group) => group.removeAttribute('aria-label'));
        if (onPoint)
            drawing.addEventListener('input', () => onPoint((drawing as unknown as {value: unknown}).value));
        box.current.replaceChildren(drawing);
    }, [plot, width, height, label, ...inputs]);

    return <div ref={box} class="plot-box" style={{minHeight: `${height}px`}} />;
}
