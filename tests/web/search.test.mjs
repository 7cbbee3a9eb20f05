// search.test.mjs - the search: what ranks is what the API ranks, and every answer leads on.
import assert from 'node:assert/strict';
import {axe, layoutShift, noSideScroll, onPages, saved} from './browser.mjs';

const ASKED = {models: ['llama-3.1-70b'], hardware: ['h100-sxm', 'h200-sxm'],
    workload: {concurrency: 64, input_tokens: 2048, output_tokens: 256}, slo: {ttft_ms: 2000, tpot_ms: 30},
    space: {devices: {max: 8}}, objective: 'cost', limit: 5};
const SEARCH = '/search?model=llama-3.1-70b&hardware=h100-sxm,h200-sxm&concurrency=64&input_tokens=2048' +
    '&output_tokens=256&ttft_ms=2000&tpot_ms=30&devices_max=8&limit=5';

const ranked = (page) => page.getByRole('region', {name: 'Ranked deployments'});

async function found(page)
{
    await ranked(page).locator('#rank-1').waitFor();
    await page.locator('.search-progress[hidden]').waitFor({state: 'attached'});
}

onPages('The search', (check) => {
    check('the ranks are the API\'s', {at: SEARCH}, async (page, site) => {
        await found(page);
        const {items, candidates} = await site.ask('/v1/search', ASKED);
        assert.equal(await ranked(page).locator('.search-row').count(), items.length);
        for (const item of items) {
            const text = await ranked(page).locator(`#rank-${item.rank}`).textContent();
            assert.ok(text.includes(`${item.devices} × ${item.hardware}`), text);
            assert.ok(text.includes(`$${item.cost.usd_per_million_output_tokens.toFixed(2)}`), text);
        }
        const verdict = await page.getByRole('region', {name: 'Verdict'}).textContent();
        assert.ok(verdict.includes(items[0].title), verdict);
        assert.ok(verdict.includes(`${candidates.feasible} keep every limit`), verdict);
    });

    check('what lost says why', {at: SEARCH}, async (page, site) => {
        await found(page);
        const {items} = await site.ask('/v1/search', ASKED);
        await ranked(page).getByText(items[1].lost_by).first().waitFor();
    });

    check('a command is copied', {at: SEARCH}, async (page, site) => {
        await found(page);
        const {items} = await site.ask('/v1/search', ASKED);
        const first = items.find((item) => item.command);
        assert.ok(first, 'some deployment has a command');
        await ranked(page).getByRole('button', {name: /^Copy the command/}).first().click();
        await ranked(page).getByRole('status').filter({hasText: 'Copied'}).waitFor();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), first.command);
    });

    check('a command is copied where there is no clipboard, as on plain http', {at: '/records'}, async (page, site) => {
        await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', {value: undefined}));
        await site.open(SEARCH);
        await found(page);
        await ranked(page).getByRole('button', {name: /^Copy the command/}).first().click();
        await ranked(page).getByRole('status').filter({hasText: 'Copied'}).waitFor();
    });

    check('a price leads to its record', {at: SEARCH}, async (page) => {
        await found(page);
        const sources = page.getByRole('group').filter({hasText: /on record/}).first();
        await sources.locator('summary').click();
        const link = sources.getByRole('link').first();
        const id = new URL(await link.getAttribute('href'), page.url()).searchParams.get('id');
        await link.click();
        await page.locator('.record-names').getByText(id, {exact: true}).waitFor();
    });

    check('no rank of the front covers another', {at: SEARCH}, async (page) => {
        await found(page);
        const boxes = await page.locator('.front-rank').evaluateAll((texts) => texts.map((text) => {
            const {left, right, top, bottom} = text.getBoundingClientRect();
            return {left, right, top, bottom, text: text.textContent};
        }));
        const covered = boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
            a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2).map((b) => `${a.text} ${b.text}`));
        assert.deepEqual(covered, []);
    });

    check('a row leads to its plan and to a comparison', {at: SEARCH}, async (page, site) => {
        await found(page);
        const {items} = await site.ask('/v1/search', ASKED);
        const compare = ranked(page).getByRole('link', {name: 'Compare with the first'}).first();
        const sides = new URL(await compare.getAttribute('href'), site.url).searchParams;
        assert.equal(sides.get('a'), items[0].plan.split('?')[1]);
        assert.equal(sides.get('b'), items[1].plan.split('?')[1]);
        await ranked(page).getByRole('link', {name: 'Plan', exact: true}).first().click();
        assert.equal(new URL(page.url()).pathname, '/');
        assert.equal(new URL(page.url()).searchParams.get('hardware'), items[0].hardware);
    });

    check('a mark of the front leads to its row', {at: SEARCH}, async (page) => {
        await found(page);
        await page.getByRole('group', {name: 'Front of candidates'}).getByRole('link', {name: /rank 1$/}).click();
        assert.equal(new URL(page.url()).hash, '#rank-1');
    });

    check('the front is saved as figures', {at: SEARCH}, async (page, site) => {
        await found(page);
        const {pareto} = await site.ask('/v1/search', ASKED);
        const {name, bytes} = await saved(page, () => page.getByRole('button', {name: 'CSV'}).click());
        assert.equal(name, 'front.csv');
        for (const point of pareto)
            assert.ok(bytes.toString().includes(String(point.per_device_tok_s)), point.title);
    });

    check('limits that nothing keeps say which binds', {at: `${SEARCH}&tpot_ms=30`}, async (page, site) => {
        await found(page);
        const {infeasible} = await site.ask('/v1/search', {...ASKED, slo: {ttft_ms: 2000, tpot_ms: 1}});
        const field = page.getByLabel('Each token within, ms');
        await field.fill('1');
        await field.press('Enter');
        await page.getByText(infeasible.detail).waitFor();
        assert.equal(new URL(page.url()).searchParams.get('tpot_ms'), '1');
    });

    check('a price of one\'s own counts', {at: SEARCH}, async (page, site) => {
        await found(page);
        const prices = page.getByRole('region', {name: 'Prices'});
        await prices.getByLabel(/^h100-sxm/).fill('0.01');
        await prices.getByLabel(/^h100-sxm/).press('Enter');
        await ranked(page).locator('#rank-1').getByText(/× h100-sxm/).waitFor();
        const {items} = await site.ask('/v1/search', {...ASKED, prices: {'h100-sxm': 0.01}});
        assert.equal(items[0].hardware, 'h100-sxm');
        await prices.getByText('as given here').waitFor();
    });

    check('parts are added and taken away', {at: SEARCH}, async (page) => {
        await found(page);
        await page.getByRole('button', {name: 'Remove h100-sxm'}).click();
        const add = page.getByRole('combobox', {name: 'Add a part'});
        await add.fill('mi300x');
        await page.getByRole('option').filter({hasText: 'mi300x'}).first().click();
        await page.getByRole('button', {name: 'Remove mi300x'}).waitFor();
        assert.equal(new URL(page.url()).searchParams.get('hardware'), 'h200-sxm,mi300x');
        assert.equal(await add.inputValue(), '');
    });

    check('a wrong name is said at its field', {at: SEARCH.replace('h200-sxm', 'h20-smx'), allow: [/422/]}, async (page) => {
        await page.getByRole('group', {name: 'Hardware'}).getByText('no part is called "h20-smx"').waitFor();
    });

    for (const [width, theme] of [[375, 'light'], [375, 'dark'], [1920, 'light'], [1920, 'dark']])
        check(`stands at ${width} px, ${theme}`, {at: SEARCH, width, theme}, async (page) => {
            await found(page);
            await noSideScroll(page);
            await layoutShift(page);
            await axe(page);
        });
});
