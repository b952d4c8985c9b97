// Runs every npm script: installs missing packages, builds, then starts the command. Needs only Node.js and npm.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [, , what = 'start', ...rest] = process.argv;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Stave needs Node.js 20.19 or later, this is ${process.versions.node}`);
  process.exit(1);
}

function step(title, command, args, options = {}) {
  const started = Date.now();
  process.stderr.write(`${title} ... `);
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  });
  process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1)} s\n`);
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}\n`);
    process.exit(result.status ?? 1);
  }
}

const installed = join(root, 'node_modules', '.package-lock.json');
const lock = join(root, 'package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs - 1000)
  step('installing packages', 'npm', ['ci', '--no-audit', '--no-fund']);
step('building', process.execPath, [join('node_modules', 'ts7', 'bin', 'tsc'), '-b']);

// The console is built where it is older than what it is made of.
const web = join(root, 'apps', 'console', 'dist', 'web', 'index.html');
const newest = directory =>
  readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((latest, { parentPath, name }) => Math.max(latest, statSync(join(parentPath, name)).mtimeMs), 0);
const isConsoleOld = () => {
  if (!existsSync(web)) return true;
  const parts = [
    'apps/console/package.json',
    'apps/console/index.html',
    'apps/console/vite.config.mts',
    'package-lock.json',
  ];
  const made = statSync(web).mtimeMs;
  if (parts.some(part => statSync(join(root, part)).mtimeMs > made)) return true;
  return ['apps/console/src', 'apps/console/public', 'libs/client/src'].some(directory => newest(directory) > made);
};
if (isConsoleOld())
  step('building the console', process.execPath, [
    join('node_modules', 'vite', 'bin', 'vite.js'),
    'build',
    join('apps', 'console'),
  ]);

// The site of the documentation has packages of its own, which the product does not need. `npm run docs` builds it where it is older than
// its sources; `npm start` does so beside the product, which serves it below /help as soon as it is there.
const docs = join(root, 'docs');
const site = join(docs, 'dist', 'index.html');
const sources = () =>
  ['adr', 'concepts', 'contribute', 'how-to', 'operate', 'reference', 'tutorial', '.vitepress', 'tools']
    .map(part => newest(join('docs', part)))
    .concat(statSync(join(docs, 'index.md')).mtimeMs, statSync(join(docs, 'package-lock.json')).mtimeMs);
const isSiteOld = () => !existsSync(site) || Math.max(...sources()) > statSync(site).mtimeMs;
const areDocsPackagesOld = () => {
  const packages = join(docs, 'node_modules', '.package-lock.json');
  return !existsSync(packages) || statSync(packages).mtimeMs < statSync(join(docs, 'package-lock.json')).mtimeMs - 1000;
};
if (what === 'docs:build' || what === 'docs') {
  if (areDocsPackagesOld())
    step('installing the packages of the documentation', 'npm', ['ci', '--no-audit', '--no-fund'], { cwd: docs });
  if (isSiteOld())
    step('building the site of the documentation', process.execPath, [join('docs', 'tools', 'build-site.mjs')]);
  if (what === 'docs:build') process.exit(0);
}

const entries = {
  docs: 'docs/tools/serve-site.mjs',
  start: 'apps/all-in-one/dist/main.js',
  demo: 'test/dist/demo/demo.main.js',
  'start:distributed': 'test/dist/distributed/start-distributed.main.js',
  'fake-cloud': 'libs/drivers/fake/dist/fake-cloud.main.js',
  'admin-key:rotate': 'apps/cluster-service/dist/rotate-admin-key.main.js',
  'event-store': 'apps/all-in-one/dist/event-store.main.js',
  'event-store:access': 'apps/all-in-one/dist/event-store-access.main.js',
  'event-log:verify': 'apps/all-in-one/dist/verify-event-log.main.js',
  'api-document': 'test/dist/api-document/write-api-document.main.js',
  'command-reference': 'test/dist/command-line/write-reference.main.js',
  'event-schemas': 'test/dist/event-schemas/write-event-schemas.main.js',
  backup: 'scripts/backup.mjs',
  kustomize: 'scripts/kustomize.mjs',
  'build:stave': 'scripts/build-stave.mjs',
  mutations: 'scripts/mutations.mjs',
  observability: 'test/dist/observability/write-observability.main.js',
  'state-diagrams': 'test/dist/state-diagrams/write-state-diagrams.main.js',
  'draw-autoscaling': 'test/dist/pictures/draw-autoscaling.main.js',
  'draw-console': 'test/dist/pictures/draw-console.main.js',
  'events:follow': 'test/dist/distributed/follow-events.main.js',
  'driver:new': 'libs/drivers/sdk/dist/scaffold/new-driver.main.js',
  'driver:check': 'libs/drivers/sdk/dist/testing/check/check-driver.main.js',
  test: 'scripts/test.mjs',
  'test:all': 'scripts/test.mjs',
  'test:group': 'scripts/test.mjs',
};
if (what === 'test:all') rest.unshift('--all');
if (what === 'test:group') rest.unshift('--group');
const bench = rest[0] && join('test', 'dist', 'bench', `${rest[0]}.bench.js`);
const entry = what === 'bench' ? bench : entries[what];
if (!entry || !existsSync(join(root, entry))) {
  console.error(
    what === 'bench'
      ? 'no such benchmark; run npm run bench -- <name> with a name of docs/contribute/benchmarks.md'
      : `there is no command ${what}; package.json lists the scripts`,
  );
  process.exit(1);
}
// Without --no-memory-reducer V8 shrinks the heap of a nearly idle process again and again, which costs more CPU than its work. Events and
// documents live longer than a young generation of 16 MB lasts: with 64 MB the collector copies half as much, for 50 MB more of memory.
const nodeFlags = [
  '--enable-source-maps',
  '--no-memory-reducer',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];
const { spawn } = await import('node:child_process');
const child = spawn(process.execPath, [...nodeFlags, join(root, entry), ...(what === 'bench' ? rest.slice(1) : rest)], {
  cwd: root,
  stdio: 'inherit',
});
if (what === 'start' && process.env.CI !== 'true' && isSiteOld()) buildSiteBeside(child);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));

/** Builds the site with the least priority while the product runs; the product does not depend on it. */
function buildSiteBeside(product) {
  const building = spawn(process.execPath, [join(root, 'scripts', 'run.mjs'), 'docs:build'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  setPriority(building.pid, constants.priority.PRIORITY_LOW);
  let said = '';
  building.stderr.on('data', text => (said = (said + text).slice(-4000)));
  building.on('exit', code => {
    if (code !== 0 && product.exitCode === null)
      process.stderr.write(`the help is not built, so /help answers 404; the product runs without it:\n${said}\n`);
  });
  product.on('exit', () => {
    if (building.exitCode === null) process.kill(-building.pid);
  });
}
