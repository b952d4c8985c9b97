// Builds the site into docs/dist: beside it first, so that a gateway which serves it never sees half of it, with compressed copies.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vitepress';

const docs = fileURLToPath(new URL('..', import.meta.url));
const [made, served, former] = ['dist.new', 'dist', 'dist.old'].map(name => join(docs, name));
const MIN_BYTES = 1024;
const compressible = new Set(['.html', '.js', '.css', '.json', '.svg']);

function compress(directory) {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !compressible.has(extname(entry.name))) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    if (bytes.length < MIN_BYTES) continue;
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

rmSync(made, { recursive: true, force: true });
await build(docs, { outDir: made });
compress(made);
rmSync(former, { recursive: true, force: true });
try {
  renameSync(served, former);
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
}
renameSync(made, served);
rmSync(former, { recursive: true, force: true });
