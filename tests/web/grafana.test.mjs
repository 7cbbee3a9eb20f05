// grafana.test.mjs - the dashboard in deploy/grafana: the daemon answers each of its questions with the
// columns that it selects.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {after, before, describe, it} from 'node:test';
import {findService} from './browser.mjs';

const FILE = new URL('../../deploy/grafana/regime-planner.json', import.meta.url);
const dashboard = JSON.parse(await readFile(FILE, 'utf8'));
const values = new Map(dashboard.templating.list.map((variable) => [variable.name, variable.current.value]));

/** ${name} as the dashboard opens. */
function filled(text)
{
    return text.replace(/\$\{(\w+)\}/g, (whole, name) => {
        assert.ok(values.has(name), `${whole} is a variable of the dashboard`);
        return values.get(name);
    });
}

/** A path of names apart by dots, as the plugin takes them. */
const at = (value, path) => path === '' ? value : path.split('.').reduce((inner, name) => inner?.[name], value);

/** Lines of RFC 4180 without line ends in their cells. */
const cellsOf = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map((m) => m[1]?.replaceAll('""', '"') ?? m[2]);

function csvRows(text)
{
    const [head, ...lines] = text.trim().split('\n').map(cellsOf);
    return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
}

async function rowsOf(query, origin)
{
    const {method, data} = query.url_options;
    const response = await fetch(origin + filled(query.url), method === 'GET' ? {}
        : {method, body: filled(data), headers: {'Content-Type': query.url_options.body_content_type}});
    const text = await response.text();
    assert.equal(response.status, 200, text.slice(0, 300));
    if (query.type === 'csv')
        return csvRows(text);
    const found = at(JSON.parse(text), query.root_selector);
    return Array.isArray(found) ? found : [found];
}

function checkColumns(query, rows)
{
    assert.ok(rows.length > 0, 'there are rows');
    for (const {selector, type} of query.columns) {
        const cell = query.type === 'csv' ? (row) => row[selector] : (row) => at(row, selector);
        assert.ok(rows.every((row) => cell(row) !== undefined), `${selector} is a column`);
        const known = rows.map(cell).filter((value) => value !== null && value !== '');
        assert.ok(known.length > 0, `${selector} has values`);
        if (type === 'number')
            assert.ok(known.every((value) => Number.isFinite(Number(value))), `${selector} is a number`);
    }
}

describe('The Grafana dashboard', () => {
    let service;
    before(async () => {
        service = await findService();
    });
    after(() => service?.stop());

    for (const panel of dashboard.panels)
        for (const query of panel.targets)
            it(`panel "${panel.title}"`, async () => checkColumns(query, await rowsOf(query, service.url)));

    for (const variable of dashboard.templating.list.filter(({type}) => type === 'query'))
        it(`variable ${variable.name} lists what there is`, async () => {
            const query = variable.query.infinityQuery;
            const rows = await rowsOf(query, service.url);
            checkColumns(query, rows);
            assert.ok(rows.some((row) => row.id === variable.current.value), 'its first value is one of them');
        });

    it('links lead to pages that are there', async () => {
        for (const {url} of dashboard.panels.flatMap((panel) => panel.links ?? [])) {
            const path = filled(url).slice(values.get('pages').length);
            const response = await fetch(service.url + path, {headers: {Accept: 'text/html'}});
            assert.equal(response.status, 200, path);
        }
    });

    it('no two panels have one place or one number', () => {
        assert.equal(new Set(dashboard.panels.map((panel) => panel.id)).size, dashboard.panels.length);
        const taken = new Set();
        for (const {gridPos: {x, y, w, h}, title} of dashboard.panels)
            for (let i = x; i < x + w; i++)
                for (let j = y; j < y + h; j++) {
                    assert.ok(i < 24 && !taken.has(`${i} ${j}`), title);
                    taken.add(`${i} ${j}`);
                }
    });
});
