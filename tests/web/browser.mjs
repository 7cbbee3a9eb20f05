// browser.mjs - the pages in a real Chromium, for the tests beside it.
//
//   onPages('The map', (check) => {
//       check('says what it shows', {at: '/map', width: 375, theme: 'dark'}, async (page, site) => {...});
//   });
//
// Every check has a fresh browser profile and fails on whatever the page complains of: an error on its
// console or in its scripts, a request that failed, one to another host. The environment says where:
// REGIMED (the program; it is started on a free port with an empty store) or REGIME_URL (a service that
// runs already), CHROMIUM (/usr/bin/chromium unless said otherwise).
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {chromium} from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium';
const READY = /listening on (http:\/\/127\.0\.0\.1:\d+)/;
const START_MS = 20_000;
const CHECK_MS = 60_000;
// A check mostly waits: for the daemon, for the browser, for what stands still.
const CHECKS_AT_ONCE = 3;
// Beyond these the browser asks its maker's hosts by itself, which a closed network answers late.
const QUIET = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'];

/** A daemon with an empty store; its address, and how to end it. */
async function startDaemon(program)
{
    const folder = await mkdtemp(join(tmpdir(), 'regime-pages-'));
    const daemon = spawn(program, ['--db', join(folder, 'regime.db'), '--listen', '127.0.0.1:0'],
        {stdio: ['ignore', 'ignore', 'pipe']});
    const ended = new Promise((resolve) => daemon.once('exit', resolve));
    let log = '';
    const url = await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${program} does not listen: ${log}`)), START_MS);
        daemon.once('error', reject);
        daemon.once('exit', (status) => reject(new Error(`${program} ended with ${status}: ${log}`)));
        daemon.stderr.on('data', (bytes) => {
            log += bytes;
            const ready = READY.exec(log);
            if (ready) {
                clearTimeout(timer);
                resolve(ready[1]);
            }
        });
    });
    const stop = async () => {
        daemon.kill('SIGTERM');
        await ended;
        await rm(folder, {recursive: true, force: true});
    };
    return {url, stop};
}

/** The service that is tested: the one that runs, or one of its own. */
export async function findService()
{
    if (process.env.REGIME_URL)
        return {url: process.env.REGIME_URL.replace(/\/$/, ''), stop: async () => {}};
    assert.ok(process.env.REGIMED, 'set REGIMED to the program, or REGIME_URL to a service that runs');
    return startDaemon(process.env.REGIMED);
}

/** What a page complains of, gathered while it lives. */
function complaintsOf(page, origin, allow)
{
    const complaints = [];
    const complain = (what) => {
        if (!allow.some((pattern) => pattern.test(what)))
            complaints.push(what);
    };
    page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning')
            complain(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => complain(`script: ${error.stack ?? error}`));
    page.on('request', (request) => {
        if (!request.url().startsWith(`${origin}/`) && !/^(data|blob):/.test(request.url()))
            complain(`another host: ${request.url()}`);
    });
    page.on('requestfailed', (request) => {
        // The page itself gives up a question that it no longer has.
        if (request.failure()?.errorText !== 'net::ERR_ABORTED')
            complain(`failed: ${request.url()} ${request.failure()?.errorText}`);
    });
    return complaints;
}

/** Asks the API beside the page: the independent source of what a page should show. */
async function askApi(origin, path, body)
{
    const response = await fetch(origin + path, body === undefined
        ? {headers: {Accept: 'application/json'}}
        : {method: 'POST', headers: {Accept: 'application/json', 'Content-Type': 'application/json'},
            body: JSON.stringify(body)});
    assert.ok(response.ok, `${path} gives ${response.status}: ${response.ok ? '' : await response.text()}`);
    return response.json();
}

async function runCheck(place, options, body)
{
    const {at = '/', width = 1280, height = 900, theme = 'light', allow = [], touch = false} = options;
    const context = await place.browser.newContext({viewport: {width, height}, colorScheme: theme,
        reducedMotion: 'reduce', acceptDownloads: true, hasTouch: touch,
        permissions: ['clipboard-read', 'clipboard-write']});
    try {
        const page = await context.newPage();
        const complaints = complaintsOf(page, place.service.url, allow);
        const site = {
            url: place.service.url,
            ask: (path, asked) => askApi(place.service.url, path, asked),
            open: (path) => page.goto(place.service.url + path),
        };
        page.setDefaultTimeout(15_000);
        await site.open(at);
        await page.locator('main > *').first().waitFor({state: 'attached'});
        await body(page, site);
        assert.deepEqual(complaints, [], 'what the page complained of');
    } finally {
        await context.close();
    }
}

/**
 * A group of checks that share one service and one browser. Each check gets a page of its own, opened
 * `at` a path, and `site`: its address, ask(path, body) for the API and open(path) for another page.
 * `allow` lists patterns of complaints that belong to the check.
 */
export function onPages(name, checks)
{
    describe(name, {concurrency: CHECKS_AT_ONCE}, () => {
        const place = {};
        before(async () => {
            place.service = await findService();
            place.browser = await chromium.launch({executablePath: CHROMIUM,
                args: process.getuid?.() === 0 ? [...QUIET, '--no-sandbox'] : QUIET});
        });
        after(async () => {
            await place.browser?.close();
            await place.service?.stop();
        });
        checks((title, options, body) => it(title, {timeout: CHECK_MS}, () => runCheck(place, options, body)));
    });
}

let axeSource;

/** No violation of axe-core's rules; those it finds are listed with their elements. */
export async function axe(page)
{
    axeSource ??= await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await page.evaluate(axeSource);
    const {violations} = await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations']}));
    const lines = violations.flatMap((rule) => rule.nodes.map((node) =>
        `${rule.id} (${rule.help}): ${node.target.join(' ')} ${node.any.map((one) => one.message).join('; ')}`));
    assert.deepEqual(lines, [], 'what axe-core finds');
}

/** The page is no wider than the window; what sticks out is named. */
export async function noSideScroll(page)
{
    const wide = await page.evaluate(() => {
        const width = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= width)
            return [];
        return [...document.body.querySelectorAll('*')]
            .filter((element) => element.getBoundingClientRect().right > width + 0.5 && !element.closest('.scroll'))
            .slice(-5).map((element) => `${element.tagName} ${element.className} ${element.id}`);
    });
    assert.deepEqual(wide, [], 'what sticks out to the right');
}

/** How much the page moved by itself since it was opened (the sum of its layout shifts). */
export async function layoutShift(page, most = 0.02)
{
    const shifts = await page.evaluate(() => new Promise((resolve) => {
        const found = [];
        const observer = new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
                if (!entry.hadRecentInput)
                    found.push({value: entry.value, what: entry.sources
                        .map(({node}) => node?.nodeName + (node?.className ? `.${node.className}` : ''))});
        });
        observer.observe({type: 'layout-shift', buffered: true});
        setTimeout(() => resolve(found), 200);
    }));
    const sum = shifts.reduce((total, shift) => total + shift.value, 0);
    assert.ok(sum < most, `layout shift ${sum.toFixed(4)}: ${JSON.stringify(shifts)}`);
}

/** What a click saves: the file's name and its bytes. */
export async function saved(page, click)
{
    const [download] = await Promise.all([page.waitForEvent('download'), click()]);
    return {name: download.suggestedFilename(), bytes: await readFile(await download.path())};
}
