// build.mjs - bundles the pages and writes them as C sources that carry them inside the daemon.
//
//   node build.mjs OUT_DIR
//
// OUT_DIR gets the files as they are served (index.html, assets/...), assets.S with their bytes, plain
// and gzipped, and assets.c with the table of them (see server/assets.h).
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {extname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {build} from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = resolve(process.argv[2] ?? join(here, 'dist'));
const assets = join(out, 'assets');
const GZIP_BUDGET = 250_000;

const TYPES = {
    '.js': 'text/javascript; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.svg': 'image/svg+xml',
    '.html': 'text/html; charset=utf-8',
};

async function bundle()
{
    const result = await build({
        absWorkingDir: here,
        entryPoints: {app: 'src/main.tsx', style: 'src/styles/index.css', icon: 'src/icon.svg'},
        outdir: assets,
        entryNames: '[name]-[hash]',
        chunkNames: '[name]-[hash]',
        assetNames: '[name]-[hash]',
        bundle: true,
        splitting: true,
        format: 'esm',
        target: ['es2022'],
        jsx: 'automatic',
        jsxImportSource: 'preact',
        loader: {'.svg': 'copy'},
        minify: true,
        metafile: true,
        legalComments: 'linked',
        logLevel: 'warning',
    });
    const names = {};
    for (const [path, output] of Object.entries(result.metafile.outputs))
        if (output.entryPoint)
            names[output.entryPoint] = path.slice(path.lastIndexOf('/') + 1);
    return names;
}

function page(names)
{
    return readFileSync(join(here, 'src/index.html'), 'utf8')
        .replace('{{script}}', `/assets/${names['src/main.tsx']}`)
        .replace('{{style}}', `/assets/${names['src/styles/index.css']}`)
        .replace('{{icon}}', `/assets/${names['src/icon.svg']}`);
}

const cText = (text) => JSON.stringify(text);

// The sources: every file once as it is and once gzipped, where that is shorter.
function sources(files)
{
    let asm = '    .section .rodata\n';
    let externs = '';
    let rows = '';
    const version = createHash('sha256');
    files.forEach((file, i) => {
        const bytes = readFileSync(file.path);
        const zipped = gzipSync(bytes, {level: 9});
        const zippedPath = `${file.path}.gz`;
        version.update(bytes);
        writeFileSync(zippedPath, zipped);
        for (const [symbol, path] of [[`ASSET_${i}`, file.path], [`ASSET_${i}_GZ`, zippedPath]]) {
            asm += `    .globl ${symbol}\n${symbol}:\n    .incbin ${cText(path)}\n`;
            externs += `extern const char ${symbol}[];\n`;
        }
        rows += `    {${cText(file.name)}, ${cText(TYPES[extname(file.name)])}, ` +
            `ASSET_${i}, ${bytes.length}, ASSET_${i}_GZ, ${zipped.length}},\n`;
        file.zipped = zipped.length;
    });
    asm += '    .section .note.GNU-stack,"",%progbits\n';
    writeFileSync(join(out, 'assets.S'), asm);
    writeFileSync(join(out, 'assets.c'),
        `#include "assets.h"\n\n${externs}\nconst struct asset ASSETS[] = {\n${rows}};\n` +
        `const size_t N_ASSETS = ${files.length};\n` +
        `const char ASSETS_VERSION[] = "${version.digest('hex').slice(0, 16)}";\n`);
}

rmSync(assets, {recursive: true, force: true});
mkdirSync(assets, {recursive: true});
writeFileSync(join(out, 'index.html'), page(await bundle()));
const files = [
    {name: 'index.html', path: join(out, 'index.html')},
    ...readdirSync(assets).sort().filter((name) => TYPES[extname(name)])
        .map((name) => ({name, path: join(assets, name)})),
];
sources(files);
const total = files.reduce((sum, file) => sum + file.zipped, 0);
for (const file of files)
    console.log(`${String(file.zipped).padStart(8)} ${file.name}`);
console.log(`${String(total).padStart(8)} bytes gzipped in all, of ${GZIP_BUDGET}`);
if (total > GZIP_BUDGET) {
    console.error('the pages are over their budget');
    process.exit(1);
}
