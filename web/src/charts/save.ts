// save.ts - a chart taken away: its figures as CSV, its drawing as SVG or PNG.
const PNG_SCALE = 2;

export type Row = Readonly<Record<string, string | number | boolean | null | undefined>>;

function csvCell(value: Row[string]): string
{
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180: a header line, every line ended. */
function csvOf(rows: readonly Row[]): string
{
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    return [names.map(csvCell).join(','), ...rows.map((row) => names.map((name) => csvCell(row[name])).join(','))]
        .join('\n') + '\n';
}

const DRAWN = ['fill', 'stroke', 'color', 'font-family', 'font-size', 'font-weight', 'font-variant', 'text-anchor',
    'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'stroke-opacity', 'fill-opacity', 'opacity', 'overflow',
    'paint-order', 'shape-rendering', 'dominant-baseline'];

/** A drawing that stands alone: colours of the page's theme are written into its elements. */
function standalone(svg: SVGSVGElement): string
{
    const copy = svg.cloneNode(true) as SVGSVGElement;
    const from = [svg, ...svg.querySelectorAll('*')];
    const to = [copy, ...copy.querySelectorAll('*')];
    const box = svg.viewBox.baseVal.width ? svg.viewBox.baseVal : svg.getBoundingClientRect();
    from.forEach((element, i) => {
        const style = getComputedStyle(element);
        for (const name of DRAWN)
            to[i]!.setAttribute(name, style.getPropertyValue(name));
        to[i]!.removeAttribute('style');
    });
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('width', String(box.width));
    copy.setAttribute('height', String(box.height));
    const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    paper.setAttribute('width', '100%');
    paper.setAttribute('height', '100%');
    paper.setAttribute('fill', getComputedStyle(document.body).backgroundColor);
    copy.prepend(paper);
    return new XMLSerializer().serializeToString(copy);
}

function download(blob: Blob, name: string): void
{
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveCsv(rows: readonly Row[], name: string): void
{
    download(new Blob([csvOf(rows)], {type: 'text/csv'}), `${name}.csv`);
}

export function saveSvg(svg: SVGSVGElement, name: string): void
{
    download(new Blob([standalone(svg)], {type: 'image/svg+xml'}), `${name}.svg`);
}

export async function savePng(svg: SVGSVGElement, name: string): Promise<void>
{
    const url = URL.createObjectURL(new Blob([standalone(svg)], {type: 'image/svg+xml'}));
    try {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = image.width * PNG_SCALE;
        canvas.height = image.height * PNG_SCALE;
        canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
        const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
        if (blob)
            download(blob, `${name}.png`);
    } finally {
        URL.revokeObjectURL(url);
    }
}
