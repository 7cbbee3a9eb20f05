// diagnose.test.mjs - from symptoms to causes: what is shown is what /v1/diagnose says of the same fields and texts.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {axe, layoutShift, noSideScroll, onPages} from './browser.mjs';

const FILES = fileURLToPath(new URL('../golden/metrics/', import.meta.url));
const SCRAPE = 'vllm-v1-docs-running8.prom';
const LOG = 'vllm-2026-engine-log-kv-full.log';
const SMI = `# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk
# Idx      W      C      C      %      %      %      %    MHz    MHz
    0    692     86      -     98     61      0      0   2619   1095
    0    695     87      -     98     62      0      0   2619   1080
`;
const SYMPTOMS = 'model=llama-3.1-8b&hardware=h100-sxm&seen.concurrency=64&seen.gpu_utilization=35&seen.tpot_ms=60&seen.cpu_cores=1' +
    '&seen.waiting=40&changed=penalties enabled';
const BODY = {model: 'llama-3.1-8b', hardware: 'h100-sxm', changed: 'penalties enabled',
    observed: {concurrency: 64, gpu_utilization: 0.35, tpot_ms: 60, waiting: 40, cpu_cores: 1}};

const AT = `/diagnose?${SYMPTOMS}`;
const answered = (page) => page.locator('.diagnose-answer[aria-busy="false"] .diagnose-verdict').waitFor();
const addFiles = (page, files) => page.getByLabel('Choose files').setInputFiles(files);
/** What the page asked last. */
const asked = (page, act) => Promise.all([page.waitForRequest('**/v1/diagnose'), act()]).then(([request]) => request.postDataJSON());

async function set(page, label, value)
{
    const field = page.getByLabel(label, {exact: true}).first();
    await field.fill(value);
    await field.press('Enter');
}

async function sameAsApi(page, reply)
{
    const causes = page.locator('.causes').first().locator('.cause');
    assert.equal(await causes.count(), reply.causes.length);
    for (const [i, cause] of reply.causes.entries()) {
        const text = await causes.nth(i).textContent();
        for (const part of [cause.class, cause.check_next, ...cause.for.slice(0, 1), ...cause.against.slice(0, 1)].map((words) => words.slice(1, 60)))
            assert.ok(text.replaceAll('\u00a0', ' ').includes(part), `${part} in ${text}`);
        assert.ok(text.includes(`${Number((cause.score * 100).toPrecision(cause.score < 0.1 ? 2 : 3))}`), `${cause.score} in ${text}`);
    }
}

onPages('The diagnosis', (check) => {
    check('nothing said yet asks for the few figures that tell most', {at: '/diagnose'}, async (page) => {
        await page.getByRole('heading', {name: 'Say what you see'}).waitFor();
        await page.getByRole('link', {name: /a GPU that is busy a third/}).click();
        await answered(page);
        assert.equal(await page.getByLabel('GPU utilisation, %').inputValue(), '35');
    });

    check('causes are ranked as the API ranks them', {at: AT}, async (page, site) => {
        await answered(page);
        const reply = await site.ask('/v1/diagnose', BODY);
        assert.ok(reply.causes.length > 1, 'several causes');
        await sameAsApi(page, reply);
        await page.locator('.diagnose-headline').getByText(reply.causes[0].title).waitFor();
        if (reply.separate)
            await page.locator('.diagnose-verdict .check-next').getByText(reply.separate).waitFor();
        for (const text of reply.not_enough)
            await page.locator('.diagnose-verdict').getByText(text).first().waitFor();
    });

    check('fields become the request, percent as fractions', {at: '/diagnose'}, async (page, site) => {
        await set(page, 'Concurrency', '64');
        await set(page, 'KV cache usage, %', '99');
        await set(page, 'TTFT, ms', '1:90 32:2,100');
        await answered(page);
        const body = await asked(page, () => set(page, 'GPU utilisation, %', '35 %'));
        assert.deepEqual(body, {observed: {concurrency: 64, gpu_utilization: 0.35, kv_usage: 0.99,
            ttft_ms: [{concurrency: 1, value: 90}, {concurrency: 32, value: 2100}]}});
        const query = new URL(page.url(), site.url).searchParams;
        assert.equal(query.get('seen.gpu_utilization'), '35 %');
        await site.open(new URL(page.url()).pathname + new URL(page.url()).search);
        await answered(page);
        assert.equal(await page.getByLabel('KV cache usage, %').inputValue(), '99');
    });

    check('runs that differ are compared', {at: '/diagnose'}, async (page) => {
        await page.getByText('Runs compared').click();
        const run = (n) => page.getByRole('group', {name: `Run ${n}`});
        await run(1).getByLabel('Run', {exact: true}).fill('base');
        await run(1).getByLabel('Output tok/s').fill('900');
        await run(2).getByLabel('Run', {exact: true}).fill('with LoRA');
        await run(2).getByLabel('Output tok/s').fill('420');
        await answered(page);
        const body = await asked(page, () => run(2).getByLabel('Output tok/s').press('Enter'));
        assert.deepEqual(body.arms, [{name: 'base', output_tok_s: 900}, {name: 'with LoRA', output_tok_s: 420}]);
        await answered(page);
    });

    check('pasted texts are told apart and stay out of the address', {at: '/diagnose'}, async (page) => {
        const body = await asked(page, async () => {
            await addFiles(page, [FILES + SCRAPE, FILES + LOG]);
        });
        assert.deepEqual(body.metrics, [await readFile(FILES + SCRAPE, 'utf8')]);
        assert.equal(body.log, await readFile(FILES + LOG, 'utf8'));
        await page.evaluate((text) => navigator.clipboard.writeText(text), SMI);
        await page.getByPlaceholder('Paste here').focus();
        const more = await asked(page, () => page.keyboard.press('Control+V'));
        assert.equal(more.smi.trim(), SMI.trim());
        await answered(page);
        assert.equal(new URL(page.url()).search, '');
        const kinds = await page.getByRole('list', {name: 'Pasted texts'}).locator('select')
            .evaluateAll((selects) => selects.map((select) => select.value));
        assert.deepEqual(kinds, ['metrics', 'log', 'smi']);
        const less = await asked(page, () => page.getByRole('button', {name: `Remove ${SCRAPE}`}).click());
        assert.equal(less.metrics, undefined);
    });

    check('every kind of scrape is taken for one', {at: '/diagnose'}, async (page) => {
        const scrapes = ['llamacpp-b5xxx-real.prom', 'sglang-0.4-docs-overloaded.prom', 'sglang-0.5.1-truncated.prom', 'tgi-fixture-toptop.prom',
            'tensorrtllm-triton-readme.prom', 'vllm-0.8-v1-qwen32b.prom'];
        const body = await asked(page, () => addFiles(page, scrapes.map((name) => FILES + name)));
        assert.equal(body.metrics.length, scrapes.length);
        await answered(page);
        assert.doesNotMatch(await page.locator('main').textContent(), /NaN|undefined|Infinity|null/);
    });

    check('texts outlive a visit to another page', {at: '/diagnose'}, async (page) => {
        await addFiles(page, FILES + LOG);
        await answered(page);
        await page.getByRole('link', {name: 'Compare'}).click();
        await page.getByRole('heading', {name: 'Compare', level: 1}).waitFor();
        await page.goBack();
        await page.getByRole('button', {name: `Remove ${LOG}`}).waitFor();
        await page.getByRole('button', {name: 'Begin anew'}).click();
        await page.getByRole('heading', {name: 'Say what you see'}).waitFor();
    });

    check('the check is copied, the command and the report are taken away', {at: AT}, async (page, site) => {
        await answered(page);
        const {causes} = await site.ask('/v1/diagnose', BODY);
        await page.getByRole('button', {name: `Copy the check of ${causes[0].class}`}).click();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), causes[0].check_next);
        await page.getByRole('button', {name: 'Copy curl'}).click();
        await page.getByRole('button', {name: 'Copied'}).first().waitFor();
        const command = await page.evaluate(() => navigator.clipboard.readText());
        assert.deepEqual(JSON.parse(/--json '(.*)'$/s.exec(command)[1]), BODY);
        await page.getByRole('button', {name: 'Text report'}).click();
        await page.getByRole('dialog').locator('.report').getByText(causes[0].class).first().waitFor();
    });

    check('measured speeds stand beside the budget', {at: AT}, async (page, site) => {
        await answered(page);
        const {expected} = await site.ask('/v1/diagnose', BODY);
        const text = await page.getByRole('group', {name: 'Speeds beside the budget'}).getByRole('row').nth(1).textContent();
        assert.ok(text.includes('60 ms') && text.includes(Number(expected.tpot_ms.expected.toPrecision(3)).toString()), text);
    });

    check('speeds as expected are healthy', {at: '/diagnose'}, async (page, site) => {
        const plan = await site.ask('/v1/plan?model=llama-3.1-8b&hardware=h100-sxm&concurrency=32');
        const tpot = plan.latency.tpot_ms.expected.toFixed(2);
        const body = {model: 'llama-3.1-8b', hardware: 'h100-sxm', observed: {concurrency: 32, gpu_utilization: 0.97, tpot_ms: Number(tpot)}};
        const reply = await site.ask('/v1/diagnose', body);
        await site.open(`/diagnose?model=llama-3.1-8b&hardware=h100-sxm&seen.concurrency=32&seen.gpu_utilization=97&seen.tpot_ms=${tpot}`);
        await answered(page);
        const headline = await page.locator('.diagnose-headline').textContent();
        assert.equal(/^Healthy/.test(headline), reply.healthy && reply.causes.length === 0, headline);
    });

    check('a deployment is pasted', {at: '/diagnose?hardware=h100-sxm&seen.gpu_utilization=35'}, async (page) => {
        await answered(page);
        await page.getByRole('button', {name: 'Paste a command or manifest'}).click();
        await page.getByRole('dialog').getByRole('textbox').fill('vllm serve meta-llama/Llama-3.1-8B-Instruct --enforce-eager');
        const body = await asked(page, () => page.getByRole('button', {name: 'Plan it'}).click());
        assert.equal(body.model, 'llama-3.1-8b');
        assert.equal(body.deployment.cuda_graphs, false);
        assert.deepEqual(body.observed, {gpu_utilization: 0.35});
    });

    check('a wrong figure is said at its field', {at: '/diagnose?seen.kv_usage=much', allow: [/422/]}, async (page) => {
        await page.getByRole('alert').getByText(/observed\/kv_usage/).waitFor();
        assert.equal(await page.getByLabel('KV cache usage, %').getAttribute('aria-invalid'), 'true');
    });

    for (const [width, theme] of [[375, 'light'], [375, 'dark'], [1280, 'dark'], [1920, 'light']])
        check(`stands at ${width} px, ${theme}`, {at: AT, width, theme}, async (page) => {
            await answered(page);
            await page.waitForLoadState('networkidle');
            await noSideScroll(page);
            await addFiles(page, [FILES + SCRAPE, FILES + LOG]);
            await page.getByRole('button', {name: `Remove ${LOG}`}).waitFor();
            await answered(page);
            await page.locator('main details').evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')));
            await page.waitForLoadState('networkidle');
            await noSideScroll(page);
            await axe(page);
        });

    for (const [width, theme] of [[375, 'dark'], [1280, 'light']])
        check(`does not move while it loads, ${width} px`, {at: AT, width, theme}, async (page) => {
            await answered(page);
            await page.waitForLoadState('networkidle');
            await layoutShift(page);
        });
});
