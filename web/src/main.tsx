// main.tsx - puts the application on the page.
import {render} from 'preact';
import {Shell} from './app/shell';

const root = document.getElementById('app');
if (root)
    render(<Shell />, root);
