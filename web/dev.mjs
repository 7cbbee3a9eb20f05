// dev.mjs - serves the pages from here, bundled anew at every visit, and asks a running daemon for the rest.
//
//   npm run dev -- [PORT] [DAEMON]     8090 and http://127.0.0.1:8080 unless said otherwise
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync} from 'node:fs';
import {createServer, request} from 'node:http';
import {tmpdir} from 'node:os';
import {basename, extname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const port = Number(process.argv[2] ?? 8090);
const daemon = new URL(process.argv[3] ?? 'http://127.0.0.1:8080');
const out = mkdtempSync(join(tmpdir(), 'regime-web-'));
const build = fileURLToPath(new URL('build.mjs', import.meta.url));
const PAGES = /^\/($|map|compare|search|profile|diagnose|records)(\/|$)/;
const TYPES = {'.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml'};
// The daemon's own policy (server/shell.c), so that what it forbids fails here too.
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
    "connect-src 'self'; form-action 'self'; base-uri 'none'";

function send(response, type, body)
{
    response.writeHead(200, {'Content-Type': type, 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store'});
    response.end(body);
}

function proxy(incoming, response)
{
    const options = {host: daemon.hostname, port: daemon.port, path: incoming.url, method: incoming.method,
        headers: incoming.headers};
    const outgoing = request(options, (reply) => {
        response.writeHead(reply.statusCode, reply.headers);
        reply.pipe(response);
    });
    outgoing.on('error', (error) => response.writeHead(502).end(String(error)));
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
}

createServer((incoming, response) => {
    const path = new URL(incoming.url, 'http://localhost').pathname;
    try {
        if (path.startsWith('/assets/')) {
            send(response, TYPES[extname(path)], readFileSync(join(out, 'assets', basename(path))));
        } else if (PAGES.test(path)) {
            execFileSync(process.execPath, [build, out], {stdio: ['ignore', 'ignore', 'inherit']});
            send(response, 'text/html; charset=utf-8', readFileSync(join(out, 'index.html')));
        } else {
            proxy(incoming, response);
        }
    } catch (error) {
        response.writeHead(500).end(String(error));
    }
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/ asks ${daemon.href}`));
