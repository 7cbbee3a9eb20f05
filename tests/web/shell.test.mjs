// shell.test.mjs - what stands around every page: the menu, the theme, an address that is none.
import assert from 'node:assert/strict';
import {axe, layoutShift, noSideScroll, onPages} from './browser.mjs';

onPages('Every page', (check) => {
    check('the menu names the page that is shown', {at: '/'}, async (page) => {
        const current = page.getByRole('navigation', {name: 'Pages'}).locator('[aria-current="page"]');
        assert.equal(await current.textContent(), 'Plan');
        assert.equal(await page.title(), 'Regime');
    });

    check('the menu takes the plan along', {at: '/map?model=llama-3.1-8b&hardware=h200-sxm&concurrency=8&x=output_tokens'},
        async (page) => {
            await page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name: 'Plan'}).click();
            const url = new URL(page.url());
            assert.equal(url.pathname, '/');
            assert.equal(url.searchParams.get('hardware'), 'h200-sxm');
            assert.equal(url.searchParams.get('concurrency'), '8');
            assert.equal(url.searchParams.get('x'), null);
        });

    check('the first tab stop leads to the content', {at: '/'}, async (page) => {
        await page.keyboard.press('Tab');
        assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'To the content');
        await page.keyboard.press('Enter');
        assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
    });

    check('the theme is chosen and kept', {at: '/', theme: 'light'}, async (page, site) => {
        const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
        assert.equal(await scheme(), 'light dark');
        await page.getByRole('button', {name: /^Colours/}).click();
        assert.equal(await scheme(), 'dark');
        await site.open('/');
        await page.getByRole('button', {name: /^Colours: dark/}).waitFor();
        assert.equal(await scheme(), 'dark');
    });

    for (const [width, theme] of [[375, 'light'], [375, 'dark'], [1920, 'light'], [1920, 'dark']])
        check(`stands at ${width} px, ${theme}`, {at: '/', width, theme}, async (page) => {
            await page.waitForLoadState('networkidle');
            await noSideScroll(page);
            await layoutShift(page);
            await axe(page);
        });

    for (const address of ['/?hardware={', '/map?hardware={', '/compare?model=llama-3.1-8b&hardware=h100-sxm&tp=1&tp.x=2',
        '/compare?model=llama-3.1-8b&hardware=h100-sxm&__proto__.strange=1',
        '/compare?model=llama-3.1-8b&hardware=h100-sxm&constructor.strange=1',
        '/search?model=llama-3.1-8b&devices_max=Infinity&prefill=both'])
        check(`is refused in words: ${address}`, {at: address, allow: [/422/, /404/]}, async (page) => {
            await page.getByRole('alert').first().waitFor();
            assert.deepEqual(await page.evaluate(() => [Object.prototype.strange, Object.strange]), [undefined, undefined]);
        });

    check('an address that is no page says so, as a 404', {at: '/nothing/here', allow: [/404/]}, async (page) => {
        await page.getByText('There is no such page.').waitFor();
        assert.equal((await fetch(new URL('/nothing/here', page.url()), {headers: {Accept: 'text/html'}})).status, 404);
        await page.getByRole('main').getByRole('link', {name: 'To the plan'}).click();
        assert.equal(new URL(page.url()).pathname, '/');
    });

    check('a page that does not load says so', {at: '/records', allow: [/ERR_FAILED/]}, async (page) => {
        await page.route('**/assets/**', (route) => route.abort());
        await page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name: 'Map'}).click();
        await page.getByRole('alert').getByRole('button', {name: 'Load it again'}).waitFor();
    });

    for (const address of ['/?embed=1&chart=nothing', '/map?embed=1&chart=nothing', '/?embed=1&model=nothing&chart=step',
        '/compare?embed=1&model=nothing', '/profile?embed=1', '/search?embed=1&model=nothing&chart=front'])
        check(`a frame with nothing to show says why: ${address}`, {at: address, allow: [/422/]}, async (page) => {
            await page.getByRole('alert').getByText(/nothing/).first().waitFor();
        });

    for (const path of ['/', '/map', '/compare', '/search', '/profile', '/diagnose', '/records/anchors'])
        check(`a long name does not widen ${path}`, {at: `${path}?model=${'a'.repeat(300)}`, width: 375, allow: [/422/, /404/]}, async (page) => {
            await page.waitForLoadState('networkidle');
            await noSideScroll(page);
        });

    check('an address that is none says so', {at: '/', allow: [/404/]}, async (page, site) => {
        const response = await site.open('/nowhere');
        assert.equal(response?.status(), 404);
    });
});
