// theme.ts - light, dark, or as the system has it. Kept in the browser, not in the address.
const KEY = 'regime-theme';

export type Theme = 'system' | 'light' | 'dark';

export function currentTheme(): Theme
{
    try {
        const kept = localStorage.getItem(KEY);
        return kept === 'light' || kept === 'dark' ? kept : 'system';
    } catch {
        return 'system';
    }
}

export function applyTheme(theme: Theme): void
{
    if (theme === 'system')
        delete document.documentElement.dataset.theme;
    else
        document.documentElement.dataset.theme = theme;
    try {
        if (theme === 'system')
            localStorage.removeItem(KEY);
        else
            localStorage.setItem(KEY, theme);
    } catch {
        // A browser that keeps nothing still shows the theme.
    }
}
