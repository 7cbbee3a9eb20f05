// main.tsx - puts the application on the page.
import {render} from 'preact';
import {pageOf} from './app/pages';
import {Shell} from './app/shell';

// The page is fetched while the frame around it is drawn.
pageOf(location.pathname)?.page.load().catch(() => undefined);

const root = document.getElementById('app');
if (root)
    render(<Shell />, root);
