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

    check('an address that is none says so', {at: '/', allow: [/404/]}, async (page, site) => {
        const response = await site.open('/nowhere');
        assert.equal(response?.status(), 404);
    });
});
