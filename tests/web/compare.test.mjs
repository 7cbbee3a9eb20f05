// compare.test.mjs - two configurations side by side: what differs, what that does, as /v1/compare has it.
import assert from 'node:assert/strict';
import {axe, layoutShift, noSideScroll, onPages, saved} from './browser.mjs';

const LOAD = 'model=llama-3.1-8b&hardware=h100-sxm&concurrency=32&input_tokens=2048&output_tokens=256';
const FP8 = `/compare?${LOAD}&a.weights=bf16&b.weights=fp8`;

const requestOf = (weights, slo) => ({
    model: 'llama-3.1-8b', hardware: 'h100-sxm', deployment: {weights},
    workload: {concurrency: 32, input_tokens: 2048, output_tokens: 256}, ...slo ? {slo} : {},
});
const FP8_BODY = {baseline: requestOf('bf16'), candidate: requestOf('fp8')};

const table = (page, name) => page.getByRole('group', {name, exact: true});
const row = (page, name, head) => table(page, name).getByRole('row').filter({has: page.getByRole('rowheader', {name: head})});
const answered = (page) => page.locator('.compare-answer[aria-busy="false"] .compare-verdict').waitFor();

onPages('Compare', (check) => {
    check('bf16 against fp8: what differs and what it does', {at: FP8}, async (page, site) => {
        await answered(page);
        const reply = await site.ask('/v1/compare', FP8_BODY);
        assert.deepEqual(reply.changes.map(({pointer}) => pointer), ['/deployment/weights']);
        const change = await row(page, 'What differs', '/deployment/weights').textContent();
        assert.match(change, /bf16.*fp8/);
        const weights = await row(page, 'Memory', 'Weights, per device').textContent();
        const percent = Math.round(-reply.memory.weights_bytes.change * 100);
        assert.ok(percent > 30 && weights.includes(`−${percent} %`), weights);
    });

    check('class by class, the differences are the API’s', {at: FP8}, async (page, site) => {
        await answered(page);
        const {decode} = await site.ask('/v1/compare', FP8_BODY);
        const {bytes} = await saved(page, () => page.locator('#compare-decode').getByRole('button', {name: 'CSV'}).click());
        const [head, ...lines] = bytes.toString().trim().split('\n').map((line) => line.split(','));
        const shown = Object.fromEntries(lines.map((line) => [line[head.indexOf('class')], line]));
        assert.equal(lines.length, decode.classes.length);
        for (const one of decode.classes)
            for (const name of ['baseline_us', 'candidate_us', 'delta_us', 'delta_bytes'])
                assert.equal(Number(shown[one.class][head.indexOf(name)]), one[name], `${one.class} ${name}`);
        const words = await page.locator('#compare-decode figcaption').textContent();
        assert.ok(words.includes(decode.dominant.candidate), words);
        assert.equal(words.includes('takes the lead'), decode.dominant.moved);
    });

    check('a number opens to its formula and its source', {at: FP8}, async (page, site) => {
        await answered(page);
        const plan = await site.ask(`/v1/plan?${LOAD}&weights=fp8`);
        const {formula} = plan.decode.classes.find((one) => one.class === 'dense_gemm');
        await page.locator('#compare-decode summary').click();
        await row(page, 'Classes of decode', 'dense_gemm').getByRole('button').nth(1).click();
        await page.getByRole('dialog').getByText(formula).waitFor();
    });

    check('both intervals are shown', {at: FP8}, async (page, site) => {
        await answered(page);
        const {baseline, candidate} = await site.ask('/v1/compare', FP8_BODY);
        const text = await row(page, 'Latency and throughput', 'TPOT').textContent();
        for (const {low, high} of [baseline.latency.tpot_ms, candidate.latency.tpot_ms])
            for (const value of [low, high])
                assert.ok(text.includes(Number(value.toPrecision(3)).toString()), `${value} in ${text}`);
    });

    check('an objective that the candidate misses fails', {at: `${FP8}&tpot_ms=1`}, async (page, site) => {
        const slo = {tpot_ms: 1};
        const {verdict} = await site.ask('/v1/compare', {baseline: requestOf('bf16', slo), candidate: requestOf('fp8', slo)});
        assert.equal(verdict, 'fail');
        await page.getByRole('region', {name: 'Verdict'}).getByText('fails', {exact: true}).waitFor();
    });

    check('swap turns the sides round, copy makes them alike', {at: FP8}, async (page) => {
        await answered(page);
        await page.getByRole('button', {name: 'Swap'}).click();
        await page.waitForURL((url) => url.searchParams.get('a.weights') === 'fp8' && url.searchParams.get('b.weights') === 'bf16');
        await page.getByRole('button', {name: 'Copy baseline to candidate'}).click();
        await page.getByRole('heading', {name: 'Nothing differs yet'}).waitFor();
        const url = new URL(page.url());
        assert.equal(url.searchParams.get('weights'), 'fp8');
        assert.equal(url.searchParams.get('a.weights'), null);
    });

    check('a setting of one side is changed in its fields', {at: FP8}, async (page) => {
        await answered(page);
        const side = page.getByRole('region', {name: /^Candidate/});
        await side.locator('summary', {hasText: /^Settings$/}).click();
        await side.getByLabel('tp', {exact: true}).fill('2');
        await side.getByLabel('tp', {exact: true}).press('Enter');
        await row(page, 'What differs', '/deployment/tp').waitFor();
        assert.equal(new URL(page.url()).searchParams.get('b.tp'), '2');
    });

    check('a command pasted into one side is that side', {at: FP8}, async (page, site) => {
        await answered(page);
        await page.getByRole('button', {name: 'Paste a deployment as the candidate'}).click();
        await page.getByRole('dialog').getByRole('textbox')
            .fill('vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-parallel-size 2 --quantization fp8');
        await page.getByRole('dialog').getByRole('button', {name: 'Plan it'}).click();
        await row(page, 'What differs', '/deployment/tp').waitFor();
        assert.match(await row(page, 'What differs', '/deployment/tp').textContent(), /1.*2/);
        assert.equal(new URL(page.url(), site.url).searchParams.get('b.tp'), '2');
    });

    check('whole queries of plans are understood', {at: `/compare?a=${encodeURIComponent(`${LOAD}&weights=bf16`)}` +
        `&b=${encodeURIComponent(`${LOAD}&weights=fp8`)}`}, async (page) => {
        await answered(page);
        assert.match(await row(page, 'What differs', '/deployment/weights').textContent(), /bf16.*fp8/);
    });

    check('a fault is said for its side', {at: `/compare?${LOAD}&b.tp=x`, allow: [/422/]}, async (page) => {
        await page.getByRole('alert').getByText('/candidate/deployment/tp').waitFor();
        const field = page.getByRole('region', {name: /^Candidate/}).getByLabel('tp', {exact: true});
        assert.equal(await field.getAttribute('aria-invalid'), 'true');
    });

    for (const theme of ['light', 'dark'])
        check(`${theme}: axe finds nothing`, {at: FP8, theme}, async (page) => {
            await answered(page);
            for (const summary of await page.locator('#compare-decode summary, .side summary').all())
                await summary.click({position: {x: 4, y: 4}});
            await page.waitForLoadState('networkidle');
            await axe(page);
        });

    check('fits a phone', {at: FP8, width: 375, height: 800}, async (page) => {
        await answered(page);
        await noSideScroll(page);
    });

    check('does not move while it loads', {at: FP8}, async (page) => {
        await answered(page);
        await page.waitForLoadState('networkidle');
        await layoutShift(page);
    });
});
