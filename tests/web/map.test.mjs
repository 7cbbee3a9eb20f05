// map.test.mjs - the map of regimes: its cells say what the plans say, and it is walked by keys.
import assert from 'node:assert/strict';
import {axe, layoutShift, noSideScroll, onPages, saved} from './browser.mjs';

const MAP = '/map?model=llama-3.1-8b&hardware=h100-sxm&concurrency=32&input_tokens=2048&detail=20';

/** A comma-separated table without quoted commas, as rows of named texts. */
function csvRows(bytes)
{
    const [head, ...lines] = bytes.toString().trim().split('\n').map((line) => line.split(','));
    return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
}

const canvas = (page) => page.getByRole('application');
const panel = (page) => page.locator('.map-panel');

async function drawn(page)
{
    await canvas(page).locator('svg .map-texts').waitFor();
    await page.locator('.map-stale').waitFor({state: 'detached'});
}

onPages('The map', (check) => {
    check('cells are the plans at their point', {at: MAP}, async (page, site) => {
        await drawn(page);
        const {name, bytes} = await saved(page, () => page.getByRole('button', {name: 'CSV'}).click());
        assert.equal(name, 'map.csv');
        const rows = csvRows(bytes);
        assert.ok(rows.length > 300, `${rows.length} cells`);
        const planned = rows.findIndex((row) => row.concurrency === '32' && row.input_tokens === '2048');
        assert.ok(planned >= 0, 'the planned point is a cell');
        for (const row of [rows[0], rows[planned], rows[rows.length - 1]]) {
            const plan = await site.ask('/v1/plan?model=llama-3.1-8b&hardware=h100-sxm' +
                `&concurrency=${row.concurrency}&input_tokens=${row.input_tokens}`);
            assert.equal(row.dominant_class, plan.dominant.class);
            assert.equal(row.regime, plan.regime.id);
            assert.equal(Number(row.tpot_ms), plan.latency.tpot_ms.expected);
            assert.equal(Number(row.ttft_ms), plan.latency.ttft_ms.expected);
            assert.equal(row.fits, String(plan.memory.fits));
        }
    });

    check('the panel shows the planned point first', {at: MAP}, async (page, site) => {
        await drawn(page);
        const plan = await site.ask('/v1/plan?model=llama-3.1-8b&hardware=h100-sxm&concurrency=32&input_tokens=2048');
        await page.getByRole('heading', {name: 'The planned point', exact: true}).waitFor();
        const text = await panel(page).textContent();
        assert.ok(text.includes(plan.regime.title), text);
        assert.ok(text.includes(plan.dominant.class), text);
        assert.ok(text.includes('concurrency 32, input 2,048'), text);
    });

    check('arrow keys walk to the next plan, Enter marks it', {at: MAP}, async (page) => {
        await drawn(page);
        await canvas(page).focus();
        await page.keyboard.press('ArrowRight');
        await page.getByRole('heading', {name: 'The plan here'}).waitFor();
        const place = await panel(page).locator('p').first().textContent();
        const [, concurrency] = /concurrency ([\d,]+), input 2,048/.exec(place) ?? [];
        assert.ok(Number(concurrency) > 32, place);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', {name: 'The planned point', exact: true}).waitFor();
        assert.equal(new URL(page.url()).searchParams.get('concurrency'), concurrency);
    });

    check('a link of a cell is its plan', {at: MAP}, async (page) => {
        await drawn(page);
        await canvas(page).focus();
        await page.keyboard.press('Shift+ArrowUp');
        await page.getByRole('heading', {name: 'The plan here'}).waitFor();
        await panel(page).getByRole('link', {name: 'Plan this'}).click();
        const url = new URL(page.url());
        assert.equal(url.pathname, '/');
        assert.equal(url.searchParams.get('concurrency'), '32');
        assert.ok(Number(url.searchParams.get('input_tokens')) > 2048, url.search);
        assert.equal(url.searchParams.get('detail'), null);
    });

    check('the cell under the pointer is shown', {at: MAP}, async (page) => {
        await drawn(page);
        const box = await canvas(page).boundingBox();
        await page.mouse.move(box.x + box.width - 40, box.y + 60);
        await page.getByRole('heading', {name: 'The plan here'}).waitFor();
        // Long prompts of very many users are far beyond the KV pool of one H100.
        assert.match(await panel(page).textContent(), /the rest waits/);
        await page.mouse.move(1, 1);
        await page.getByRole('heading', {name: 'The planned point', exact: true}).waitFor();
    });

    check('other sides are chosen, and stand in the address', {at: MAP}, async (page, site) => {
        await drawn(page);
        await page.getByRole('group', {name: 'Up'}).getByLabel('Setting').selectOption('tp');
        await page.getByText('Tensor parallel →').or(page.getByText('↑ Tensor parallel')).waitFor();
        assert.equal(new URL(page.url()).searchParams.get('y'), 'tp');
        await drawn(page);
        const rows = csvRows((await saved(page, () => page.getByRole('button', {name: 'CSV'}).click())).bytes);
        assert.deepEqual([...new Set(rows.map((row) => row.tp))], ['1', '2', '4', '8', '16']);
        const two = rows.find((row) => row.tp === '2' && row.concurrency === '32');
        const plan = await site.ask('/v1/plan?model=llama-3.1-8b&hardware=h100-sxm&concurrency=32&input_tokens=2048&tp=2');
        assert.equal(Number(two.tpot_ms), plan.latency.tpot_ms.expected);
    });

    check('what does not fit is hatched and said', {at: '/map?model=llama-3.1-70b&hardware=h100-sxm&y=tp&detail=20'},
        async (page) => {
            // 141 GB of bf16 weights do not fit one part of 80 GiB, and do fit two.
            await drawn(page);
            await page.getByRole('list', {name: 'Legend'}).getByText('does not fit in memory').waitFor();
            const row = page.getByRole('row', {name: /does not fit in memory/});
            assert.equal(await row.getByRole('cell').nth(2).textContent(), '1');
        });

    check('a figure is coloured in bands', {at: MAP}, async (page) => {
        await drawn(page);
        await page.getByLabel('Coloured by').selectOption('tpot_ms');
        await page.getByRole('list', {name: 'Legend'}).getByText(/^\s*\d+ to \d+ ms/).first().waitFor();
        assert.equal(new URL(page.url()).searchParams.get('colour'), 'tpot_ms');
    });

    check('regions and borders stand in words too', {at: MAP}, async (page) => {
        await drawn(page);
        await page.getByRole('heading', {name: 'The map in words'}).waitFor();
        assert.ok(await page.getByRole('row', {name: /^dense_gemm/}).count() >= 1);
        await page.getByRole('listitem').filter({hasText: /^Concurrency between [\d,]+ and [\d,]+ requests: dense_gemm → /}).first().waitFor();
    });

    check('the drawing is taken away', {at: MAP}, async (page) => {
        await drawn(page);
        const svg = await saved(page, () => page.getByRole('button', {name: 'SVG'}).click());
        assert.equal(svg.name, 'map.svg');
        assert.ok(svg.bytes.toString().includes('dense_gemm') && !svg.bytes.toString().includes('var(--'));
        const png = await saved(page, () => page.getByRole('button', {name: 'PNG'}).click());
        assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
    });

    check('an answer that breaks off is none', {at: '/records'}, async (page) => {
        await page.route('**/v1/sweep**', (route) => route.fulfill({contentType: 'application/x-ndjson',
            body: '{"progress":{"points":0,"of":1600}}\n'}));
        await page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name: 'Map'}).click();
        await page.getByRole('alert').getByText(/broke off/).waitFor();
    });

    check('a wrong name is said, with what was meant', {at: '/map?model=lama-3.1-8b&hardware=h100-sxm', allow: [/422/, /404/]},
        async (page) => {
            await page.getByRole('button', {name: /^Use llama-3.1-8b/}).click();
            await drawn(page);
            assert.equal(new URL(page.url()).searchParams.get('model'), 'llama-3.1-8b');
        });

    check('the chart alone, for a dashboard', {at: `${MAP}&embed=1&chart=map`}, async (page) => {
        await drawn(page);
        assert.equal(await page.getByRole('navigation').count(), 0);
        assert.equal(await page.getByRole('button').count(), 0);
    });

    for (const [width, theme] of [[375, 'light'], [375, 'dark'], [1920, 'light'], [1920, 'dark']])
        check(`stands at ${width} px, ${theme}`, {at: MAP, width, theme}, async (page) => {
            await drawn(page);
            await noSideScroll(page);
            await layoutShift(page);
            await axe(page);
        });
});
