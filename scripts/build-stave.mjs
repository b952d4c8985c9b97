// Makes the command line for machines without a checkout:
//
//   npm run build:stave                    apps/cli/dist/bundle: stave.mjs and its parts, for any Node.js that Stave takes
//   npm run build:stave -- --executable    also stave, which contains the Node.js that runs this, for machines like this one
//   … --to <directory>                     writes there
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { inject } from 'postject';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { executable: { type: 'boolean' }, to: { type: 'string' } } });
const target = resolve(values.to ?? join(root, 'apps/cli/dist/bundle'));
const { version } = createRequire(import.meta.url)(join(root, 'apps/cli/package.json'));
/** The name of the part that Node.js looks for in its own program: https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const common = {
  entryPoints: { stave: join(root, 'apps/cli/dist/main.js') },
  bundle: true,
  platform: 'node',
  target: 'node20',
  minify: true,
  legalComments: 'linked',
  logLevel: 'warning',
  define: { BUNDLED_VERSION: JSON.stringify(version) },
};

/**
 * Takes Node.js's own modules without the facade that an import makes of them. The module by which commander starts commands that are programs of
 * their own, which stave does not have, is left out: it costs a start most.
 */
const builtins = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, importer }) => {
      if (!isBuiltin(path)) return undefined;
      const isUnused = path === 'node:child_process' && /[\\/]commander[\\/]/.test(importer);
      return { path, namespace: isUnused ? 'unused' : 'builtin' };
    });
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }));
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }));
  },
};

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await build({
  ...common,
  outdir: target,
  format: 'esm',
  splitting: true,
  outExtension: { '.js': '.mjs' },
  banner: { js: '#!/usr/bin/env node' },
  plugins: [builtins],
});
chmodSync(join(target, 'stave.mjs'), 0o755);
if (values.executable) await buildExecutable();

async function buildExecutable() {
  const [main, config, blob, executable] = ['stave.cjs', 'sea.json', 'sea.blob', 'stave'].map(name =>
    join(target, name),
  );
  // What uses import.meta is not reached in a bundle.
  await build({
    ...common,
    outfile: main,
    entryPoints: undefined,
    stdin: entry(),
    format: 'cjs',
    legalComments: 'none',
    logLevel: 'error',
  });
  writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }));
  run(process.execPath, ['--experimental-sea-config', config]);
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  if (process.platform === 'linux') run('strip', [executable], true);
  await inject(executable, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse: FUSE });
  for (const file of [main, config, blob]) rmSync(file);
}

function entry() {
  const main = common.entryPoints.stave;
  return { contents: readFileSync(main, 'utf8'), resolveDir: dirname(main), sourcefile: main, loader: 'js' };
}

/** Runs a program; one that only makes the result smaller may be missing. */
function run(program, args, isOptional = false) {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0 && !isOptional) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
