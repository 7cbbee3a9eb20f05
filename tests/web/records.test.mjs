// records.test.mjs - the records: lists are the API's, a record names its sources, the backtest draws every figure.
import assert from 'node:assert/strict';
import {axe, layoutShift, noSideScroll, onPages, saved} from './browser.mjs';

const rowsOf = (page, name) => page.getByRole('group', {name, exact: true}).locator('tbody tr');

/** The list is as it is asked for, and no answer is awaited. */
async function settled(page)
{
    await page.locator('.list-body[aria-busy="false"]').waitFor();
}

const totalShown = async (page) => (await page.locator('.pager').first().textContent()).replaceAll(',', '');

onPages('What there is', (check) => {
    check('every kind with the number of its records', {at: '/records'}, async (page, site) => {
        for (const [kind, title] of [['models', 'Models'], ['hardware', 'Hardware'], ['anchors', 'Measurements'],
            ['sources', 'Sources'], ['prices', 'Prices'], ['claims', 'Claims'], ['memory-rules', 'Memory rules']]) {
            const {total} = await site.ask(`/v1/${kind}?limit=1`);
            const tile = page.getByRole('listitem').filter({has: page.getByRole('link', {name: title, exact: true})});
            await tile.getByText(total.toLocaleString('en-US'), {exact: true}).waitFor();
        }
    });

    check('a kind that is none is said so', {at: '/records/wishes'}, async (page) => {
        await page.getByRole('heading', {name: 'No such records'}).waitFor();
    });
});

onPages('A list', (check) => {
    check('the next page begins at its top', {at: '/records/models'}, async (page) => {
        await settled(page);
        await page.getByRole('link', {name: 'Next page'}).last().click();
        await page.getByText(/^51 to 100 of/).first().waitFor();
        assert.equal(await page.evaluate(() => scrollY), 0);
    });

    check('stands whatever place its address claims', {at: '/records/models?from=1e308', width: 375}, async (page) => {
        await settled(page);
        await noSideScroll(page);
    });

    check('the title is a record’s while it is shown', {at: '/records/models?id=llama-3.1-8b'}, async (page) => {
        await page.waitForFunction(() => document.title !== 'Records · Regime');
        await page.getByRole('navigation', {name: 'Above this page'}).getByRole('link', {name: 'Records'}).click();
        await page.waitForFunction(() => document.title === 'Records · Regime');
    });

    check('filters are the API’s and stand in the address', {at: '/records/hardware'}, async (page, site) => {
        await settled(page);
        const vendor = page.getByRole('combobox', {name: 'Vendor'});
        await vendor.getByRole('option', {name: 'amd', exact: true}).waitFor({state: 'attached'});
        await vendor.selectOption('amd');
        const {items, total} = await site.ask('/v1/hardware?vendor=amd&limit=50');
        await page.waitForFunction((count) => document.querySelectorAll('table.records tbody tr').length === count, items.length);
        assert.match(await totalShown(page), new RegExp(`of ${total}`));
        assert.equal(new URL(page.url()).searchParams.get('vendor'), 'amd');
        const shown = await rowsOf(page, 'Hardware').locator('th').allTextContents();
        assert.deepEqual(shown, items.map(({name}) => name));
    });

    check('choices of a filter are the values that occur', {at: '/records/hardware'}, async (page, site) => {
        const {items} = await site.ask('/v1/hardware?limit=1000');
        const vendors = [...new Set(items.map(({vendor}) => vendor))].sort();
        const options = page.getByRole('combobox', {name: 'Vendor'}).locator('option');
        await options.nth(1).waitFor({state: 'attached'});
        assert.deepEqual((await options.allTextContents()).slice(1), vendors);
    });

    check('choices that the page states are those of the API', {at: '/records/anchors'}, async (page, site) => {
        const document = await site.ask('/openapi.json');
        for (const [name, field] of [['kind', 'Kind'], ['metric', 'Metric']]) {
            const {schema} = document.paths['/v1/anchors'].get.parameters.find((one) => one.name === name);
            const values = await page.getByLabel(field, {exact: true}).locator('option')
                .evaluateAll((options) => options.map(({value}) => value).filter(Boolean));
            assert.ok(values.length > 5);
            assert.deepEqual(values.filter((value) => !schema.enum.includes(value)), []);
        }
    });

    check('the second page goes on where the first ends', {at: '/records/models'}, async (page, site) => {
        await settled(page);
        const first = await site.ask('/v1/models?limit=50');
        const second = await site.ask(`/v1/models?limit=50&cursor=${encodeURIComponent(first.next_cursor)}`);
        await page.getByRole('link', {name: 'Next page'}).first().click();
        await page.getByText('51 to 100 of').first().waitFor();
        assert.equal(await rowsOf(page, 'Models').first().locator('th').textContent(), second.items[0].name);
    });

    check('words find what the API finds', {at: '/records/models?q=mistral'}, async (page, site) => {
        await settled(page);
        const {items} = await site.ask('/v1/models?q=mistral');
        assert.ok(items.length > 0);
        assert.equal(await rowsOf(page, 'Models').count(), items.length);
    });

    check('conditions nobody measured are no record, with the nearest', {at:
        '/records/anchors?model=llama-3.1-8b&hardware=h100-sxm&concurrency_min=100000'}, async (page, site) => {
        const {nearest} = await site.ask('/v1/anchors?model=llama-3.1-8b&hardware=h100-sxm&concurrency_min=100000');
        await page.getByText('No record.').waitFor();
        assert.equal(await rowsOf(page, 'Nearest measurements').count(), nearest.length);
    });

    check('a name that is none is a fault at its field', {at: '/records/anchors?model=lama-3.1-8b',
        allow: [/422/]}, async (page) => {
        await page.getByText('no model is called "lama-3.1-8b"').first().waitFor();
        assert.equal(await page.getByLabel('Model', {exact: true}).getAttribute('aria-invalid'), 'true');
    });

    check('CSV is the API’s own', {at: '/records/hardware?vendor=amd'}, async (page, site) => {
        await settled(page);
        const {name, bytes} = await saved(page, () => page.getByRole('link', {name: 'CSV'}).click());
        assert.equal(name, 'hardware.csv');
        const lines = bytes.toString().trim().split('\n');
        assert.equal(lines.length - 1, (await site.ask('/v1/hardware?vendor=amd&limit=1')).total);
    });

    check('gaps are the most wanted first', {at: '/records/gaps'}, async (page) => {
        await settled(page);
        const asked = (await rowsOf(page, 'Gaps').locator('td:nth-child(2)').allTextContents()).map((text) => Number(text.replaceAll(',', '')));
        assert.ok(asked.length > 5);
        assert.deepEqual(asked, [...asked].sort((a, b) => b - a));
    });

    check('a verdict is a word', {at: '/records/claims?verdict=refuted'}, async (page, site) => {
        await settled(page);
        const {total} = await site.ask('/v1/claims?verdict=refuted&limit=1');
        assert.equal(await rowsOf(page, 'Claims').getByText('refuted', {exact: true}).count(), total);
    });
});

onPages('A record', (check) => {
    check('names the source of a field beside it', {at: '/records/hardware?id=h100-sxm'}, async (page, site) => {
        const record = await site.ask('/v1/hardware/h100-sxm');
        const bandwidth = page.locator('.fact').filter({has: page.locator('dt[title="mem_bw_gbps"]')});
        await bandwidth.getByText('3,350 GB/s', {exact: true}).waitFor();
        const sources = record.provenance.filter(({field}) => field === 'mem_bw_gbps');
        assert.ok(sources.length > 0);
        for (const {source, url, source_id: id} of sources) {
            const link = bandwidth.getByRole('link', {name: source, exact: true});
            assert.equal(await link.getAttribute('href'), `/records/sources?id=${id}`);
            if (url)
                assert.equal(await bandwidth.getByRole('link', {name: `Open the source: ${source}`}).getAttribute('href'), url);
        }
        assert.equal(await bandwidth.getByText(sources[0].basis, {exact: true}).count(), sources.length);
    });

    check('shows what sources disagree on', {at: '/records/hardware?id=h100-sxm'}, async (page, site) => {
        const {disputes} = await site.ask('/v1/hardware/h100-sxm');
        await page.getByRole('heading', {name: `Sources disagree on ${disputes.length} fields`}).waitFor();
        const text = await page.locator('.disputes').textContent();
        for (const {value_a: taken, value_b: other, why} of disputes)
            assert.ok(text.includes(taken) && text.includes(other) && text.includes(why), why);
    });

    check('an alias is the record itself', {at: '/records/models?id=meta-llama%2FLlama-3.1-8B-Instruct'}, async (page) => {
        await page.getByRole('heading', {level: 1, name: 'Llama 3.1 8B'}).waitFor();
        await page.getByText('8,030,261,248').first().waitFor();
    });

    check('an id that is none has the nearest one', {at: '/records/models?id=llama9', allow: [/404/]}, async (page) => {
        await page.getByRole('heading', {level: 1, name: 'No model “llama9”'}).waitFor();
        await page.getByRole('alert').waitFor();
        await page.getByRole('link', {name: 'llama-1-7b'}).click();
        await page.getByText('llama-1-7b', {exact: true}).waitFor();
    });

    check('a measurement leads to the plan of its conditions', {at: '/records/anchors?kind=serving&disputed=false'}, async (page, site) => {
        await settled(page);
        await rowsOf(page, 'Measurements').first().getByRole('link').first().click();
        const link = page.getByRole('link', {name: 'Plan of these conditions'});
        await link.waitFor();
        const id = new URL(page.url()).searchParams.get('id');
        const record = await site.ask(`/v1/anchors/${encodeURIComponent(id)}`);
        const planned = new URL(await link.getAttribute('href'), site.url);
        const plan = await site.ask(`/v1/plan${planned.search}`);
        assert.equal(plan.request.model, record.model_id);
        assert.equal(plan.request.hardware, record.hardware_id);
        assert.equal(plan.request.workload.concurrency, record.conditions.concurrency);
        assert.equal(plan.request.deployment.tp, record.conditions.tp);
    });

    check('a source leads to what rests on it', {at: '/records/sources?id=src-13a13f7eeecc'}, async (page, site) => {
        await page.getByRole('link', {name: 'Measurements that rest on it'}).click();
        await settled(page);
        const {total} = await site.ask('/v1/anchors?source=src-13a13f7eeecc&limit=1');
        assert.match(await totalShown(page), new RegExp(`of ${total}`));
    });
});

onPages('The backtest', (check) => {
    const dots = (page) => page.locator('#backtest svg .figures > *');

    check('has a dot for each figure of the API', {at: '/records/backtest?engine=sglang'}, async (page, site) => {
        const {total} = await site.ask('/v1/backtest?metric=tpot_ms&engine=sglang&limit=1');
        assert.ok(total > 100);
        await page.getByText(`${total} of ${total} figures`).waitFor();
        await dots(page).first().waitFor();
        assert.equal(await dots(page).count(), total);
    });

    check('follows the pages of a long list', {at: '/records/backtest'}, async (page, site) => {
        const {total} = await site.ask('/v1/backtest?metric=tpot_ms&limit=1');
        assert.ok(total > 1000, 'more than one page of the API');
        const shown = total.toLocaleString('en-US');
        await page.getByText(`${shown} of ${shown} figures`).waitFor();
        assert.equal(await dots(page).count(), total);
    });

    check('says the errors that the API says', {at: '/records/backtest?metric=ttft_ms'}, async (page, site) => {
        const {groups, left_out: mode} = await site.ask('/v1/backtest?metric=ttft_ms&limit=1');
        const {median, n} = groups.find(({by}) => by === 'all').left_out[mode];
        const percent = Number((median * 100).toPrecision(3));
        await page.getByText(`Of ${n.toLocaleString('en-US')} figures half are within`).waitFor();
        assert.ok((await page.locator('.summary').textContent()).includes(`${percent} %`));
    });

    check('the worst comes first, with why', {at: '/records/backtest'}, async (page, site) => {
        const {items} = await site.ask('/v1/backtest?metric=tpot_ms&limit=1');
        const first = rowsOf(page, 'Farthest off first').first();
        await first.getByText(`${items[0].conditions.model} on ${items[0].conditions.n_devices} × ${items[0].conditions.hardware}`).waitFor();
        assert.equal(await first.getByRole('link', {name: 'Plan'}).getAttribute('href'), items[0].links.plan.replace('/v1/plan', '/'));
        await first.locator('summary').click();
        await first.getByText(items[0].explanation.why).waitFor();
    });

    check('memory is compared with logs', {at: '/records/backtest?set=memory'}, async (page, site) => {
        const {total, out_of_memory: verdicts} = await site.ask('/v1/backtest?set=memory');
        await page.getByText(`Of ${verdicts.found + verdicts.missed + verdicts.unknown} starts that ran out of memory`).waitFor();
        assert.equal(await rowsOf(page, 'Starts').count(), total);
    });

    check('is embedded alone', {at: '/records/backtest?engine=sglang&embed=1&chart=backtest'}, async (page) => {
        await dots(page).first().waitFor();
        assert.equal(await page.getByRole('navigation').count(), 0);
        assert.equal(await page.locator('.frame-tools').count(), 0);
    });
});

onPages('Disputes', (check) => {
    check('are those of the records', {at: '/records/disputes'}, async (page, site) => {
        const {items} = await site.ask('/v1/hardware?limit=1000');
        const count = items.reduce((sum, {disputes}) => sum + disputes.length, 0);
        await page.getByRole('heading', {name: `${count} times sources disagree on a part`}).waitFor();
        const {total} = await site.ask('/v1/anchors?disputed=true&limit=1');
        await page.getByRole('heading', {name: `${total} measurements in doubt`}).waitFor();
    });
});

onPages('Records for everybody', (check) => {
    const PLACES = ['/records', '/records/hardware', '/records/anchors?disputed=true', '/records/hardware?id=h100-sxm',
        '/records/models?id=deepseek-v3', '/records/claims?id=claim-09', '/records/backtest?engine=sglang', '/records/disputes'];
    const ready = (page) => page.waitForFunction(() => !document.querySelector('[aria-busy="true"]') &&
        document.querySelector('tbody tr, .fact, .count:not(:empty)'));

    for (const at of PLACES)
        for (const theme of ['light', 'dark'])
            check(`${at}, ${theme}: axe finds nothing`, {at, theme}, async (page) => {
                await ready(page);
                await page.waitForLoadState('networkidle');
                await axe(page);
            });

    for (const at of PLACES)
        check(`${at} fits a phone`, {at, width: 375, height: 800}, async (page) => {
            await ready(page);
            await page.waitForLoadState('networkidle');
            await noSideScroll(page);
        });

    for (const at of ['/records', '/records/hardware', '/records/hardware?id=h100-sxm', '/records/backtest?engine=sglang'])
        check(`${at} does not move while it loads`, {at}, async (page) => {
            await ready(page);
            await page.waitForLoadState('networkidle');
            await layoutShift(page);
        });
});
