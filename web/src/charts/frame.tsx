// frame.tsx - what stands around every chart: its title, its words, and the ways to take it away.
import type {ComponentChildren} from 'preact';
import {useRef} from 'preact/hooks';
import {saveCsv, savePng, saveSvg, type Row} from './save';

interface FrameProps {
    /** Name of the chart's files and of its element: "roofline". */
    readonly id: string;
    readonly title: string;
    /** One or two sentences: what is seen, for those who do not see it too. */
    readonly words?: ComponentChildren;
    /** The figures drawn. */
    readonly rows: () => readonly Row[];
    readonly embed?: boolean;
    /** What is drawn follows from no address: there is nothing to embed. */
    readonly noEmbed?: boolean;
    readonly children: ComponentChildren;
}

/** The address of this page with one chart alone, for a frame in a dashboard. */
function embedAddress(id: string): string
{
    const url = new URL(location.href);
    url.searchParams.set('embed', '1');
    url.searchParams.set('chart', id);
    return url.href;
}

/**
 * A figure with its buttons. In an embedded page (?embed=1&chart=ID) only the chart asked for is
 * drawn; without `chart` all of them are.
 */
export function Frame({id, title, words, rows, embed, noEmbed, children}: FrameProps)
{
    const body = useRef<HTMLDivElement>(null);
    const drawing = () => body.current?.querySelector<SVGSVGElement>('svg') ?? null;
    const asked = new URLSearchParams(location.search).get('chart');

    if (embed && asked && asked !== id)
        return null;
    return (
        <figure class="card frame" id={id} aria-labelledby={`${id}-title`}>
            <figcaption>
                <h2 id={`${id}-title`}>{title}</h2>
                {words && <p class="soft">{words}</p>}
            </figcaption>
            <div class="frame-body" ref={body}>{children}</div>
            {!embed && (
                <div class="frame-tools" role="group" aria-label={`${title}: take away`}>
                    <button type="button" class="quiet" onClick={() => saveCsv(rows(), id)}>CSV</button>
                    <button type="button" class="quiet" onClick={() => {
                        const svg = drawing();
                        if (svg)
                            saveSvg(svg, id);
                    }}>SVG</button>
                    <button type="button" class="quiet" onClick={() => {
                        const svg = drawing();
                        if (svg)
                            void savePng(svg, id);
                    }}>PNG</button>
                    {!noEmbed && <a class="button quiet" href={embedAddress(id)} target="_blank" rel="noreferrer">Embed</a>}
                </div>
            )}
        </figure>
    );
}
