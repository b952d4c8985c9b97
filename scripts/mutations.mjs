// Changes one place of libs/domain after the other, and checks that a test finds each change. Not part of npm test: it takes minutes and
// changes sources meanwhile, which it restores. Usage: npm run mutations [-- <words of a title>]
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const domain = join(root, 'libs', 'domain');
const all = JSON.parse(readFileSync(join(root, 'scripts', 'mutations.json'), 'utf8'));
const words = process.argv.slice(2).join(' ');
const chosen = all.filter(({ title }) => title.includes(words));

const node = args =>
  spawnSync(process.execPath, args, { cwd: root, timeout: 120_000, encoding: 'utf8', maxBuffer: 1 << 28 });
const build = () => node([join('node_modules', 'ts7', 'bin', 'tsc'), '-b', 'libs/domain']);
const tests = patterns =>
  node([
    join('node_modules', 'jest', 'bin', 'jest.js'),
    '--projects',
    'libs/domain',
    '--maxWorkers=1',
    '--bail',
    '--',
    patterns,
  ]);

/** Returns `found`, `survived`, or why the mutation cannot be tried. */
function tried({ file, from, to, tests: patterns }) {
  const path = join(domain, 'src', file);
  const source = readFileSync(path, 'utf8');
  if (source.split(from).length !== 2) return 'its place is not there exactly once';
  const restore = () => writeFileSync(path, source);
  process.once('SIGINT', restore);
  try {
    writeFileSync(
      path,
      source.replace(from, () => to),
    );
    // what the compiler refuses needs no test, so it is no mutation of this list
    if (build().status !== 0) return 'it does not compile';
    return tests(patterns).status === 0 ? 'survived' : 'found';
  } finally {
    restore();
    process.removeListener('SIGINT', restore);
  }
}

let found = 0;
for (const mutation of chosen) {
  const outcome = tried(mutation);
  if (outcome === 'found') found += 1;
  console.log(
    `${outcome === 'found' ? 'found   ' : 'SURVIVED'} ${mutation.title}${outcome === 'found' || outcome === 'survived' ? '' : `: ${outcome}`}`,
  );
}
build();
console.log(`${found} of ${chosen.length} mutations found by a test`);
process.exitCode = found === chosen.length ? 0 : 1;
