// plan.test.mjs - the plan of one configuration: what goes in, what is said, down to the source of each number.
import assert from 'node:assert/strict';
import {axe, layoutShift, noSideScroll, onPages, saved} from './browser.mjs';

const LLAMA = 'model=llama-3.1-8b&hardware=h100-sxm&concurrency=32&input_tokens=2048&output_tokens=256';
const COMMAND = 'vllm serve meta-llama/Llama-3.1-8B-Instruct --quantization fp8 --max-model-len 16k --port 8000';
const MANIFEST = `apiVersion: v1
kind: Pod
metadata: {name: chat}
spec:
  nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
  containers:
    - name: vllm
      image: vllm/vllm-openai:v0.11.0
      args: [--model, meta-llama/Llama-3.1-8B-Instruct, --max-model-len, 16k]
      resources: {limits: {nvidia.com/gpu: 1}}
`;
/** The published config.json of meta-llama/Llama-3.1-8B, without what no plan reads. */
const CONFIG = {architectures: ['LlamaForCausalLM'], model_type: 'llama', hidden_size: 4096, intermediate_size: 14336,
    num_hidden_layers: 32, num_attention_heads: 32, num_key_value_heads: 8, vocab_size: 128256,
    max_position_embeddings: 131072, tie_word_embeddings: false, torch_dtype: 'bfloat16'};

const planned = (page) => page.locator('.gauges').waitFor();
const title = (page) => page.getByRole('heading', {level: 1});

/** A time in ms as the page words it: three digits, from a second on in seconds. */
function words(ms)
{
    const [value, unit] = ms >= 999.5 ? [ms / 1000, 's'] : [ms, 'ms'];
    const decimals = Math.max(2 - Math.floor(Math.log10(value)), 0);
    return `${value.toFixed(decimals)} ${unit}`;
}

async function figureOf(page, name)
{
    return page.locator('.gauge', {has: page.getByText(name, {exact: true})}).getByRole('button').textContent();
}

async function sameAsApi(page, site)
{
    const query = new URL(page.url()).search;
    const plan = await site.ask(`/v1/plan${query}`);
    await page.waitForFunction((text) => document.querySelector('h1')?.textContent === text, plan.regime.title);
    await page.waitForFunction(([value]) => [...document.querySelectorAll('.gauge button')]
        .some((button) => button.textContent === value), [words(plan.latency.tpot_ms.expected)]);
    assert.equal(await figureOf(page, 'TTFT'), words(plan.latency.ttft_ms.expected));
    assert.equal(await figureOf(page, 'TPOT'), words(plan.latency.tpot_ms.expected));
    return plan;
}

async function paste(page, text)
{
    await page.getByRole('button', {name: 'Paste a deployment'}).click();
    await page.getByRole('dialog').getByRole('textbox').fill(text);
    await page.getByRole('button', {name: 'Plan it'}).click();
    await page.getByRole('heading', {name: 'From the pasted text'}).waitFor();
}

onPages('The plan', (check) => {
    check('a link is the plan that the API gives', {at: `/?${LLAMA}`}, async (page, site) => {
        await planned(page);
        const plan = await sameAsApi(page, site);
        assert.equal(plan.request.workload.concurrency, 32);
    });

    check('a pasted command comes to a verdict and into the address', {at: '/'}, async (page, site) => {
        await planned(page);
        await paste(page, COMMAND);
        const query = new URL(page.url()).searchParams;
        assert.equal(query.get('model'), 'llama-3.1-8b');
        assert.equal(query.get('hardware'), 'h100-sxm');
        assert.equal(query.get('weights'), 'fp8');
        // "16k" of vLLM's flag is 16,000.
        assert.equal(query.get('max_model_len'), '16000');
        const note = page.locator('.pasted');
        assert.match(await note.textContent(), /Without effect here: --port/);
        await sameAsApi(page, site);
        await page.reload();
        await planned(page);
        await sameAsApi(page, site);
    });

    check('a pasted manifest brings its own part', {at: '/?model=qwen3-8b&hardware=l4'}, async (page) => {
        await planned(page);
        await paste(page, MANIFEST);
        const query = new URL(page.url()).searchParams;
        assert.deepEqual([query.get('model'), query.get('hardware'), query.get('engine_version')],
            ['llama-3.1-8b', 'h100-sxm', '0.11.0']);
    });

    check('a pasted config.json is the model', {at: `/?${LLAMA}`}, async (page, site) => {
        await planned(page);
        await paste(page, JSON.stringify(CONFIG));
        await page.getByText('a link to this plan does not carry it').waitFor();
        const plan = await site.ask('/v1/plan', {model: {hf_config: CONFIG}, hardware: 'h100-sxm',
            workload: {concurrency: 32, input_tokens: 2048, output_tokens: 256}});
        await page.waitForFunction((text) => [...document.querySelectorAll('.gauge button')]
            .some((button) => button.textContent === text), words(plan.latency.tpot_ms.expected));
    });

    check('a slider changes the address and the figures', {at: `/?${LLAMA}`}, async (page, site) => {
        await planned(page);
        const before = await figureOf(page, 'TPOT');
        const slider = page.getByRole('slider', {name: 'Concurrency, slider'});
        await slider.focus();
        for (let i = 0; i < 8; i++)
            await page.keyboard.press('ArrowRight');
        // Four stops to a doubling: eight are four times as much.
        await page.waitForFunction(() => new URLSearchParams(location.search).get('concurrency') === '128');
        const plan = await sameAsApi(page, site);
        assert.equal(plan.request.workload.concurrency, 128);
        assert.notEqual(await figureOf(page, 'TPOT'), before);
        await page.goBack().catch(() => null);
        assert.notEqual(new URL(page.url()).searchParams.get('concurrency'), '90', 'a slider leaves no history');
    });

    check('a number is set exactly', {at: `/?${LLAMA}`}, async (page, site) => {
        await planned(page);
        await page.getByRole('textbox', {name: 'Input tokens'}).fill('3,000');
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => new URLSearchParams(location.search).get('input_tokens') === '3000');
        await sameAsApi(page, site);
    });

    check('what is no number is refused in words', {at: `/?${LLAMA}`, allow: [/422/]}, async (page) => {
        await planned(page);
        const field = page.getByRole('textbox', {name: 'Concurrency'});
        for (const text of ['many', '0']) {
            await field.fill(text);
            await field.press('Enter');
            await page.locator('.plan-inputs .fault').getByText(`got "${text}"`).waitFor();
            assert.equal(await field.inputValue(), text);
        }
    });

    check('sliders that move together both arrive', {at: `/?${LLAMA}`}, async (page) => {
        await planned(page);
        await page.evaluate(() => {
            for (const slider of [...document.querySelectorAll('.slider-range')].slice(0, 2)) {
                slider.value = 16;
                slider.dispatchEvent(new Event('input', {bubbles: true}));
            }
        });
        await page.waitForFunction(() => new URLSearchParams(location.search).get('input_tokens') === '16');
        assert.equal(new URL(page.url()).searchParams.get('concurrency'), '16');
    });

    check('a service that comes back is asked again', {at: '/records', allow: [/ERR_FAILED/]}, async (page) => {
        await page.route('**/v1/plan**', (route) => route.abort());
        await page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name: 'Plan'}).click();
        await page.getByText(/the service does not answer/).waitFor();
        await page.unroute('**/v1/plan**');
        await planned(page);
    });

    check('a model that was pasted elsewhere is said to be elsewhere', {at: '/?model=pasted:x-1&hardware=h100-sxm', allow: [/422/]},
        async (page) => {
            await page.getByRole('alert').getByText(/another browser tab/).waitFor();
        });

    check('the model is chosen by keyboard alone', {at: `/?${LLAMA}`}, async (page, site) => {
        await planned(page);
        const box = page.getByRole('combobox', {name: 'Model'});
        await box.focus();
        await page.keyboard.press('Control+A');
        await page.keyboard.type('qwen3 8b');
        await page.getByRole('option', {name: /Qwen3 8B/}).first().waitFor();
        assert.equal(await box.getAttribute('aria-expanded'), 'true');
        await page.keyboard.press('ArrowDown');
        const active = await box.getAttribute('aria-activedescendant');
        assert.match(await page.locator(`[id="${active}"]`).textContent(), /Qwen3 8B/);
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => new URLSearchParams(location.search).get('model') === 'qwen3-8b');
        assert.equal(await box.getAttribute('aria-expanded'), 'false');
        await sameAsApi(page, site);
        // Escape gives the old value back.
        await page.keyboard.type('x');
        await page.keyboard.press('Escape');
        assert.equal(await box.inputValue(), 'qwen3-8b');
    });

    check('an alias finds a part', {at: `/?${LLAMA}`}, async (page) => {
        await planned(page);
        const box = page.getByRole('combobox', {name: 'Hardware'});
        await box.fill('NVIDIA H100 80GB HBM3');
        await page.getByRole('option', {name: /h100-sxm/}).first().waitFor();
    });

    check('an unknown model is said at its field, with the nearest name', {
        at: '/?model=lama-3.1-8b&hardware=h100-sxm', allow: [/422/],
    }, async (page, site) => {
        const box = page.getByRole('combobox', {name: 'Model'});
        await page.locator('[aria-invalid="true"]').waitFor();
        assert.equal(await box.getAttribute('aria-invalid'), 'true');
        await page.getByRole('button', {name: 'Use llama-3.1-8b', exact: true}).click();
        await planned(page);
        await sameAsApi(page, site);
    });

    check('every class opens to its formula', {at: `/?${LLAMA}`}, async (page, site) => {
        await planned(page);
        const plan = await site.ask(`/v1/plan?${LLAMA}`);
        const rows = [...plan.decode.classes, ...plan.prefill.classes];
        const openers = page.locator('#budget .expander');
        assert.equal(await openers.count(), rows.length);
        for (let i = 0; i < rows.length; i++) {
            await openers.nth(i).click();
            const detail = page.locator('#budget .detail');
            assert.equal(await detail.locator('.formula').first().textContent(), rows[i].formula);
            if (rows[i].fit)
                await detail.getByRole('link', {name: rows[i].fit.id}).waitFor();
            await openers.nth(i).click();
        }
    });

    check('a figure opens to its formula, its basis and its sources', {at: `/?${LLAMA}`}, async (page) => {
        await planned(page);
        const figure = page.locator('.gauge').first().getByRole('button');
        await figure.click();
        const sheet = page.getByRole('dialog');
        await sheet.getByRole('heading', {name: 'Time to first token'}).waitFor();
        assert.match(await sheet.locator('.formula').first().textContent(), /own prefill/);
        await page.keyboard.press('Escape');
        await sheet.waitFor({state: 'detached'});
        assert.ok(await figure.evaluate((element) => element === document.activeElement), 'focus comes back');
    });

    check('parts of the step and dots of the roofline are buttons', {at: `/?${LLAMA}`}, async (page) => {
        await planned(page);
        for (const chart of ['step', 'roofline', 'memory']) {
            const part = page.locator(`#${chart} svg [role="button"]`).first();
            await part.focus();
            await page.keyboard.press('Enter');
            await page.getByRole('dialog').locator('.formula').first().waitFor();
            await page.keyboard.press('Escape');
            await page.getByRole('dialog').waitFor({state: 'detached'});
        }
    });

    check('a cure is applied to the address', {at: `/?${LLAMA}`}, async (page, site) => {
        await planned(page);
        await page.getByRole('button', {name: 'Apply weights=fp8'}).click();
        await page.waitForFunction(() => new URLSearchParams(location.search).get('weights') === 'fp8');
        await sameAsApi(page, site);
        await page.goBack();
        await page.waitForFunction(() => !new URLSearchParams(location.search).has('weights'));
    });

    check('what does not fit says by how much and what would', {at: '/?model=llama-3.3-70b&hardware=h100-sxm'},
        async (page) => {
            await planned(page);
            const memory = page.locator('#memory');
            await memory.getByText('does not fit').waitFor();
            assert.equal(await figureOf(page, 'TPOT'), 'no record');
            await memory.getByRole('button', {name: 'Apply'}).first().click();
            await memory.getByText('fits', {exact: true}).waitFor();
        });

    check('objectives are judged', {at: `/?${LLAMA}&tpot_ms=1`}, async (page) => {
        await planned(page);
        await page.getByRole('list', {name: 'Checks'}).getByText(/TPOT/).waitFor();
        assert.match(await page.getByRole('list', {name: 'Checks'}).textContent(), /fails.*TPOT/);
    });

    check('further settings are set by name', {at: `/?${LLAMA}`}, async (page) => {
        await planned(page);
        await page.getByText('More settings').click();
        await page.getByRole('combobox', {name: 'Setting'}).fill('max_num_seqs');
        await page.getByRole('combobox', {name: 'Value'}).fill('16');
        await page.getByRole('button', {name: 'Set', exact: true}).click();
        await page.waitForFunction(() => new URLSearchParams(location.search).get('max_num_seqs') === '16');
        await page.getByRole('button', {name: 'Remove max_num_seqs'}).click();
        await page.waitForFunction(() => !new URLSearchParams(location.search).has('max_num_seqs'));
    });

    check('the link and the command are copied', {at: `/?${LLAMA}`}, async (page, site) => {
        await planned(page);
        await page.getByRole('button', {name: 'Copy curl'}).click();
        await page.getByRole('button', {name: 'Copied'}).waitFor();
        const text = await page.evaluate(() => navigator.clipboard.readText());
        assert.ok(text.startsWith(`curl '${site.url}/v1/plan?model=llama-3.1-8b`), text);
    });

    for (const chart of ['step', 'roofline', 'memory', 'cures'])
        check(`${chart} stands alone in a dashboard`, {at: `/?${LLAMA}&embed=1&chart=${chart}`}, async (page) => {
            await page.locator(`figure#${chart}`).waitFor();
            assert.equal(await page.locator('figure').count(), 1);
            assert.equal(await page.getByRole('navigation').count(), 0);
            await axe(page);
        });

    check('charts are taken away', {at: `/?${LLAMA}`}, async (page) => {
        await planned(page);
        for (const chart of ['step', 'roofline', 'memory', 'cures']) {
            const tools = page.locator(`#${chart} .frame-tools`);
            const csv = await saved(page, () => tools.getByRole('button', {name: 'CSV'}).click());
            assert.equal(csv.name, `${chart}.csv`);
            assert.ok(csv.bytes.toString().split('\n').length > 3, chart);
            const svg = await saved(page, () => tools.getByRole('button', {name: 'SVG'}).click());
            assert.match(svg.bytes.toString(), /^<svg[^>]* viewBox=/);
        }
    });

    for (const [width, theme] of [[375, 'light'], [375, 'dark'], [1280, 'light'], [1920, 'dark']])
        check(`stands at ${width} px, ${theme}`, {at: `/?${LLAMA}&tpot_ms=10`, width, theme}, async (page) => {
            await planned(page);
            await page.waitForLoadState('networkidle');
            await noSideScroll(page);
            await layoutShift(page);
            await page.locator('#budget .expander').first().click();
            await page.getByText('What does not help here').click();
            await axe(page);
            await noSideScroll(page);
        });

    check('the inputs open on a phone', {at: `/?${LLAMA}`, width: 375, touch: true}, async (page) => {
        await planned(page);
        await page.getByText('llama-3.1-8b on h100-sxm').click();
        await page.getByRole('combobox', {name: 'Model'}).click();
        await page.getByRole('option').first().waitFor();
        await noSideScroll(page);
        await axe(page);
    });

    for (const theme of ['light', 'dark'])
        check(`the sheet is clean, ${theme}`, {at: `/?${LLAMA}`, theme}, async (page) => {
            await planned(page);
            await page.locator('.gauge').first().getByRole('button').click();
            await page.getByRole('dialog').getByRole('link').first().waitFor();
            await axe(page);
        });

    for (const query of ['model=llama-3.1-8b&hardware=rtx-5090&engine=llama.cpp&concurrency=32&weights=q4_k_m',
        'model=deepseek-v3&hardware=h200-sxm&tp=8&concurrency=64', 'model=qwen3-30b-a3b&hardware=tpu-v5e&tp=8',
        'model=gpt-oss-120b&hardware=mi300x&concurrency=512&input_tokens=32768', 'model=qwen3-0.6b&hardware=m3-ultra',
        'model=llama-3.3-70b&hardware=h100-sxm&tp=2&pp=2&speculative.method=eagle3'])
        check(`shows ${query}`, {at: `/?${query}`}, async (page, site) => {
            await planned(page);
            const plan = await site.ask(`/v1/plan?${query}`);
            assert.equal(await title(page).textContent(), plan.regime.title);
            assert.doesNotMatch(await page.locator('main').textContent(), /NaN|undefined|Infinity|null/);
            await noSideScroll(page);
        });
});
