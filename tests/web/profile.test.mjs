// profile.test.mjs - a measured profile: what is shown is what /v1/attribute says of the file, and what its source states.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {axe, layoutShift, noSideScroll, onPages, saved} from './browser.mjs';

const FILES = fileURLToPath(new URL('../golden/profiles/', import.meta.url));
const DECODE = 'sglang-qwen3-8b-mi300x-decode-b32.trace.json.gz';
const EAGER = 'vllm-gptoss120b-b200-tp8-prefill888-eager.trace.json.gz';
const COLLAPSED = 'vllm-llama70b-b200-nsys-graphs-collapsed.txt';
const OF_DECODE = 'model=qwen3-8b&hardware=mi300x';

/** Rows of expected.tsv: what each file must give, from its source or from its intervals. */
const EXPECTED = (await readFile(`${FILES}expected.tsv`, 'utf8')).split('\n').filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split('\t')).map(([file, asked, format, phase, refused, span, busy, shares]) => ({
        file, asked, format, phase, refused, span, busy,
        shares: shares === '-' ? [] : shares.split(',').map((pair) => pair.split('=')).map(([name, percent]) => [name, Number(percent)]),
    }));
const expectedOf = (file) => EXPECTED.find((row) => row.file === file);

const choose = (page, file) => page.getByLabel(/^Choose/).setInputFiles(FILES + file);
const answered = (page) => page.locator('.profile-answer[aria-busy="false"] .profile-found').waitFor();

async function attribute(site, file, query = '')
{
    const response = await fetch(`${site.url}/v1/attribute?${query}`, {
        method: 'POST', body: await readFile(FILES + file), headers: {Accept: 'application/json', 'Content-Type': 'application/octet-stream'},
    });
    assert.equal(response.status, 200);
    return response.json();
}

/** The figures of a chart as its CSV has them, by the name in the first column. */
async function figures(page)
{
    const {bytes} = await saved(page, () => page.locator('#attribution').getByRole('button', {name: 'CSV'}).click());
    const [head, ...lines] = bytes.toString().trim().split('\n').map((line) => line.split(','));
    return Object.fromEntries(lines.map((line) => [line[0], Object.fromEntries(line.map((cell, i) => [head[i], cell]))]));
}

/** A time in µs as the page words it: three digits and the unit that fits. */
function timeOf(us)
{
    const [value, unit] = us >= 999_500 ? [us / 1e6, 's'] : us >= 999.5 ? [us / 1e3, 'ms'] : [us, 'µs'];
    return `${value.toFixed(Math.max(2 - Math.floor(Math.log10(value)), 0))} ${unit}`;
}

onPages('The profile', (check) => {
    for (const file of [DECODE, 'sglang-qwen3-8b-mi300x-extend-15x1024.trace.json.gz',
        'vllm-gptoss20b-mi300x-mixed-8155p-37d.trace.json.gz', 'vllm-llama3.1-8b-h100-nsys-truncated.txt'])
        check(`shares of ${file} are those of its source`, {at: '/profile'}, async (page) => {
            const {shares, span, busy, format} = expectedOf(file);
            await choose(page, file);
            await answered(page);
            await page.locator('.profile-kind').getByText(format, {exact: true}).waitFor();
            const text = await page.locator('.profile-found .gauges').textContent();
            for (const us of [span, busy].filter((value) => value !== '-'))
                assert.ok(text.includes(timeOf(Number(us))), `${timeOf(Number(us))} in ${text}`);
            const shown = await figures(page);
            for (const [name, percent] of shares.filter(([, share]) => share >= 1))
                assert.ok(Math.abs(Number(shown[name].measured_share) * 100 - percent) < 1.5, `${name}: ${shown[name].measured_share}, ${percent} %`);
        });

    check('the budget stands beside what was measured', {at: `/profile?${OF_DECODE}`}, async (page, site) => {
        await choose(page, DECODE);
        await answered(page);
        const {budget} = await attribute(site, DECODE, OF_DECODE);
        const shown = await figures(page);
        for (const group of budget.compared.filter(({us}) => us > 0)) {
            const row = Object.values(shown).find(({classes}) => classes.split(' + ').includes(group.classes[0]));
            assert.equal(Number(row.budget), group.budget_us, row.classes);
            assert.equal(Number(row.ratio), group.ratio, row.classes);
            assert.ok(Math.abs(Number(row.measured) / group.us - 1) < 1e-6, row.classes);
        }
        await page.locator('#attribution figcaption').getByText(budget.of).waitFor();
    });

    check('what nothing explains is hatched and named', {at: `/profile?${OF_DECODE}`}, async (page, site) => {
        await choose(page, DECODE);
        await answered(page);
        const {shares} = await attribute(site, DECODE, OF_DECODE);
        const without = shares.filter((row) => row.budget_us === null);
        assert.ok(without.length > 0, 'some class has no budget');
        for (const {class: name} of without) {
            const row = page.locator('#attribution g[transform]', {has: page.getByText(name, {exact: true})});
            await row.getByRole('button', {name: /no budget|no class/}).waitFor();
            assert.equal(await row.locator('rect[fill^="url("]').count(), 1, name);
        }
    });

    check('a bar opens to its kernels, by keys too', {at: `/profile?${OF_DECODE}`}, async (page, site) => {
        await choose(page, DECODE);
        await answered(page);
        const {shares} = await attribute(site, DECODE, OF_DECODE);
        const bar = page.locator('#attribution .pair').first();
        await bar.focus();
        await page.keyboard.press('Enter');
        const sheet = page.getByRole('dialog');
        const leading = shares.find((row) => row.class === 'dense_gemm');
        await sheet.getByText(leading.names[0].name).waitFor();
        assert.equal(await sheet.getByRole('link', {name: 'dense_gemm'}).getAttribute('href'), '/docs/classes/dense_gemm');
        await page.keyboard.press('Escape');
        await sheet.waitFor({state: 'detached'});
    });

    check('the bars have a table for who does not see them', {at: `/profile?${OF_DECODE}`}, async (page, site) => {
        await choose(page, DECODE);
        await answered(page);
        await page.getByText('Figures by class').click();
        const {shares} = await attribute(site, DECODE, OF_DECODE);
        const table = page.getByRole('group', {name: 'Time by class'});
        for (const row of shares)
            await table.getByRole('rowheader', {name: row.class, exact: true}).waitFor();
    });

    check('idle time is split by what the host did', {at: '/profile'}, async (page, site) => {
        await choose(page, EAGER);
        await answered(page);
        const {host} = await attribute(site, EAGER);
        // Its source: 11.6 ms of kernels in a step of 84 ms.
        await page.getByRole('heading', {name: /idle for 86\.\d % of the time/}).waitFor();
        const text = await page.getByRole('region', {name: 'Busy and idle'}).textContent();
        for (const part of host.parts.filter(({us}) => us > 100))
            assert.ok(text.includes(timeOf(part.us)), `${part.part} ${timeOf(part.us)} in ${text}`);
    });

    for (const file of [COLLAPSED, 'vllm-gptoss20b-mi300x-graph-capture.trace.json.gz', 'training-mi210-resnet-gpu-only.trace.json.gz'])
        check(`${file} is refused in words`, {at: '/profile'}, async (page) => {
            await choose(page, file);
            await answered(page);
            const text = await page.locator('.profile-refused').textContent();
            assert.ok(text.includes(expectedOf(file).refused), text);
            assert.equal(await page.locator('#attribution').count(), 0, 'no shares are drawn');
        });

    check('timings of llama.cpp stand phase by phase', {at: '/profile'}, async (page, site) => {
        const file = 'llamacpp-print-timings-llama1-7b-h100pcie.txt';
        await choose(page, file);
        await answered(page);
        const {parts} = await attribute(site, file);
        const table = page.getByRole('group', {name: 'Phases of the program'});
        for (const part of parts)
            assert.ok((await table.getByRole('row').filter({has: page.getByRole('rowheader', {name: part.part, exact: true})}).textContent())
                .includes(timeOf(part.us)), part.part);
    });

    check('what it was of is in the address, and the file is read again', {at: '/profile'}, async (page, site) => {
        await choose(page, DECODE);
        await answered(page);
        await page.locator('#attribution').getByText(/No budget: no model was given/).waitFor();
        await page.getByRole('combobox', {name: 'Model'}).fill('qwen3-8b');
        await page.getByRole('combobox', {name: 'Model'}).press('Enter');
        await page.getByRole('combobox', {name: 'Hardware'}).fill('mi300x');
        await page.getByRole('combobox', {name: 'Hardware'}).press('Enter');
        await page.getByRole('heading', {name: 'Measured beside the budget'}).waitFor();
        assert.equal(new URL(page.url(), site.url).searchParams.get('model'), 'qwen3-8b');
        await page.getByRole('combobox', {name: 'Model'}).fill('');
        await page.getByRole('combobox', {name: 'Model'}).press('Enter');
        await page.getByRole('heading', {name: 'Measured by class'}).waitFor();
    });

    check('a file is dropped anywhere', {at: '/profile'}, async (page) => {
        const text = await readFile(FILES + COLLAPSED, 'utf8');
        await page.evaluate((content) => {
            const data = new DataTransfer();
            data.items.add(new File([content], 'stats.txt', {type: 'text/plain'}));
            document.querySelector('main').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
        }, text);
        await answered(page);
        await page.getByText('stats.txt').waitFor();
    });

    check('a table is pasted', {at: '/profile'}, async (page) => {
        await page.evaluate((text) => navigator.clipboard.writeText(text), await readFile(`${FILES}pegainfer-qwen3.5-4b-decode-b1.csv`, 'utf8'));
        await page.locator('main').focus();
        await page.keyboard.press('Control+V');
        await answered(page);
        const {shares} = expectedOf('pegainfer-qwen3.5-4b-decode-b1.csv');
        assert.ok(Math.abs(Number((await figures(page)).dense_gemm.measured_share) * 100 - shares[0][1]) < 1);
    });

    check('what is no profile is refused in words, and the next one is read', {at: '/profile', allow: [/422/]}, async (page) => {
        await page.getByLabel(/^Choose/).setInputFiles({name: 'cat.txt', mimeType: 'text/plain', buffer: Buffer.from('a cat\n'.repeat(50))});
        await page.getByRole('alert').getByText(/^Not read/).waitFor();
        await choose(page, DECODE);
        await answered(page);
        assert.equal(await page.getByRole('alert').count(), 0);
    });

    check('a wrong setting is said at its field', {at: '/profile?batch=x', allow: [/422/]}, async (page) => {
        await choose(page, DECODE);
        await page.getByRole('alert').waitFor();
        assert.equal(await page.getByLabel('Batch').getAttribute('aria-invalid'), 'true');
    });

    check('the command and the report are taken away', {at: `/profile?${OF_DECODE}`}, async (page, site) => {
        await choose(page, DECODE);
        await answered(page);
        await page.getByRole('button', {name: 'Copy curl'}).click();
        await page.getByRole('button', {name: 'Copied'}).waitFor();
        const command = await page.evaluate(() => navigator.clipboard.readText());
        assert.ok(command.includes(`--data-binary @'${DECODE}'`) && command.includes(`${site.url}/v1/attribute?${OF_DECODE}`), command);
        await page.getByRole('button', {name: 'Text report'}).click();
        await page.getByRole('dialog').locator('.report').getByText(/dense_gemm/).first().waitFor();
    });

    check('a large file is sent as it is, and is never read into the page', {at: '/records'}, async (page, site) => {
        await page.addInitScript(() => {
            const send = XMLHttpRequest.prototype.send;
            XMLHttpRequest.prototype.send = function (body) {
                globalThis.sent = body instanceof File ? body.name : typeof body;
                return send.call(this, body);
            };
            Blob.prototype.text = Blob.prototype.arrayBuffer = Blob.prototype.stream = () => {
                throw new Error('the page reads the file');
            };
        });
        await site.open('/profile');
        await page.locator('.drop').waitFor();
        // 16 MB of a trace, in a file of the browser's own.
        await page.evaluate(() => {
            const event = '{"ph":"X","cat":"kernel","name":"nvjet_tst_128x8","pid":0,"tid":7,"ts":TS,"dur":9.5,"args":{"stream":7,"device":0}}';
            const events = Array.from({length: 140_000}, (_, i) => event.replace('TS', String(i * 10)));
            const data = new DataTransfer();
            data.items.add(new File(['{"traceEvents":[', events.join(',\n'), ']}'], 'large.json'));
            document.querySelector('main').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
        });
        await answered(page);
        await page.getByText(/dense_gemm takes 100 %/).waitFor();
        assert.equal(await page.evaluate(() => globalThis.sent), 'large.json');
    });

    check('the shares are kept with a token', {at: `/profile?${OF_DECODE}`, allow: [/40[13]/]}, async (page, site) => {
        await choose(page, DECODE);
        await answered(page);
        await page.getByRole('button', {name: 'Keep as a measurement'}).click();
        const sheet = page.getByRole('dialog');
        await sheet.getByLabel('Token').fill('none-that-is-known');
        await sheet.getByLabel('Weights').fill('bf16');
        const [request] = await Promise.all([page.waitForRequest('**/v1/attributions?**'), sheet.getByLabel('Weights').press('Enter')]);
        assert.equal(request.headers().authorization, 'Bearer none-that-is-known');
        const query = new URL(request.url(), site.url).searchParams;
        assert.deepEqual([query.get('model'), query.get('hardware'), query.get('weights')], ['qwen3-8b', 'mi300x', 'bf16']);
        await sheet.getByRole('alert').getByText(/^Not kept/).waitFor();
        await axe(page);
        await page.route('**/v1/attributions?**', (route) => route.fulfill({status: 201, json: {id: 'kept-one'}}));
        await sheet.getByRole('button', {name: 'Keep it'}).click();
        assert.equal(await sheet.getByRole('link', {name: 'kept-one'}).getAttribute('href'), '/records/anchors?id=kept-one');
    });

    for (const [width, theme] of [[375, 'light'], [375, 'dark'], [1280, 'dark'], [1920, 'light']])
        check(`stands at ${width} px, ${theme}`, {at: `/profile?${OF_DECODE}`, width, theme}, async (page) => {
            await page.waitForLoadState('networkidle');
            await noSideScroll(page);
            await layoutShift(page);
            await axe(page);
            await choose(page, DECODE);
            await answered(page);
            await page.getByText('Figures by class').click();
            await page.getByText('Calls of the runtime').click();
            await axe(page);
            await noSideScroll(page);
            await page.locator('#attribution .pair').first().click();
            await page.getByRole('dialog').waitFor();
            await axe(page);
        });

    check('nothing that is shown is no figure', {at: '/profile'}, async (page) => {
        for (const {file} of EXPECTED.filter(({format}, i) => EXPECTED.findIndex((row) => row.format === format) === i)) {
            await choose(page, file);
            await page.locator('.profile-file strong').getByText(file, {exact: true}).waitFor();
            await answered(page);
            assert.doesNotMatch(await page.locator('main').textContent(), /NaN|undefined|Infinity|null/, file);
            await noSideScroll(page);
        }
    });
});
