// Runs the checks and the tests by tier, and ends with one line of counts.
//
//   npm test                the checks and tests that every change needs, in minutes
//   npm run test:all        also the long tiers: faults, matrices, Docker, complete suites on every server
//   npm run test:group openstack   a named group, which takes too long for every run
//   npm test -- <pattern>   only the spec files whose path matches the pattern, of every tier
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serversUsed } from './servers-used.mjs';
import { selects, tiers } from './test-tiers.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(root, '.cache');
mkdirSync(cache, { recursive: true });
const bin = name => join(root, 'node_modules', '.bin', name);
const all = process.argv.includes('--all');
const isGroup = process.argv.includes('--group');
const patterns = process.argv.slice(2).filter(argument => argument !== '--all' && argument !== '--group');
const option = patterns.find(pattern => pattern.startsWith('-'));
if (option !== undefined) {
  console.error(
    `${option} is not a path; one test is run by its title with: npx jest --projects <folder> -t '<title>' -- <file>`,
  );
  process.exit(2);
}
const totals = { passed: 0, failed: 0, skipped: 0 };
const skips = [];
const failures = [];
const durations = [];
const slowest = [];
const servers = join(cache, 'servers-used.jsonl');
rmSync(servers, { force: true });

/** How many of the slowest files the end names, since a run of all tiers has 45 minutes. */
const LISTED = 40;
/** Fails for a test file that no tier selects, since it would never run. */
function checkTiers() {
  const listed = ['apps', 'libs', 'test'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true }).map(file => `/${folder}/${file}`),
  );
  const tests = listed.filter(file => file.endsWith('.spec.ts') && !/\/(dist|node_modules)\//.test(file));
  const left = tests.filter(file => !tiers.some(tier => selects(tier, file)));
  console.log(
    `tiers of ${tests.length} test files ... ${left.length === 0 ? 'ok' : `FAILED: no tier runs ${left.join(', ')}`}`,
  );
  totals[left.length === 0 ? 'passed' : 'failed']++;
  if (left.length > 0) failures.push('a test file that no tier runs');
}

/** Runs a program to its end. Returns its exit code or what ended it, what it wrote, and the seconds that it took. */
async function ended(command, args, { output = 'pipe', env = {} } = {}) {
  const started = Date.now();
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', output === 'pipe' ? 'pipe' : 'ignore', output],
    env: { ...process.env, NX_NO_CLOUD: 'true', FORCE_COLOR: '0', ...env },
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', data => (written += data.toString()));
  const status = await new Promise(resolve => {
    child.on('close', (code, signal) => resolve(code ?? signal));
    child.on('error', error => resolve(error.message));
  });
  return { status, written, seconds: Math.round((Date.now() - started) / 1000) };
}

/** Runs a check. It fails also when it writes what `unless` matches. */
async function check(title, command, args, { unless = /(?!)/ } = {}) {
  const { status, written, seconds } = await ended(command, args);
  durations.push({ part: title, seconds });
  const ok = status === 0 && !unless.test(written);
  console.log(`${title} ... ${ok ? 'ok' : `FAILED: it ended with ${status}`} (${seconds} s)`);
  if (!ok) console.log(written);
  if (!ok) failures.push(title);
  totals[ok ? 'passed' : 'failed']++;
}

/** One process for all projects: a program for each of them would read the types of what it uses again. */
async function lint() {
  await check('projects', bin('nx'), ['show', 'projects']);
  const args = ['apps', 'libs', 'test', '--max-warnings', '0'];
  await check('lint and module boundaries', bin('eslint'), args, { unless: /rule will be skipped/ });
}

/** Runs the tier; `output` is where Jest writes what people read. */
async function runJest({ title, match, ignore = [], serial = false, env: own = {} }, output) {
  const report = join(cache, `jest-${title.replaceAll(/\W+/g, '-')}.json`);
  rmSync(report, { force: true });
  const args = ['--forceExit', '--json', `--outputFile=${report}`, '--reporters=default', '--testPathPatterns', match];
  args.push('--testPathIgnorePatterns', ...ignore, '/dist/', '/node_modules/');
  args.push(serial ? '--runInBand' : '--maxWorkers=2');
  const env = { STAVE_SERVERS_USED: servers, ...own };
  const { status, seconds } = await ended(bin('jest'), args, { output, env });
  durations.push({ part: title, seconds });
  return () => count(title, status, report);
}

async function jest(tier) {
  console.log(`\n${tier.title}`);
  (await runJest(tier, 'inherit'))();
}

/** Starts the tier beside the following ones. The returned function waits for it, prints what it wrote, and counts it. */
function jestBeside(tier) {
  const output = join(cache, 'jest-beside.txt');
  const file = openSync(output, 'w');
  const running = runJest(tier, file);
  return async () => {
    const counted = await running;
    closeSync(file);
    console.log(`\n${tier.title}, beside the tiers above\n${readFileSync(output, 'utf8')}`);
    counted();
  };
}

function count(title, status, report) {
  if (!existsSync(report)) {
    console.log(`${title}: jest ended with ${status} and wrote no report`);
    failures.push(`${title}: no report`);
    totals.failed++;
    return;
  }
  const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  totals.passed += numPassedTests;
  totals.failed += numFailedTests + numRuntimeErrorTestSuites;
  totals.skipped += numPendingTests;
  if (status !== 0 && numFailedTests + numRuntimeErrorTestSuites === 0) {
    failures.push(`${title}: jest ended with ${status}`);
    totals.failed++;
  }
  for (const suite of testResults) {
    const file = suite.name.slice(root.length + 1);
    slowest.push({ file, seconds: Math.round((suite.endTime - suite.startTime) / 1000) });
    const failed = suite.assertionResults.filter(a => a.status === 'failed');
    failures.push(...failed.map(({ fullName }) => `${file}: ${fullName}`));
    if (suite.status === 'failed' && failed.length === 0) failures.push(`${file}: could not be run`);
    const skipped = suite.assertionResults.filter(a => a.status === 'pending');
    const [first] = skipped;
    if (first) skips.push(`${skipped.length} in ${file}: ${first.fullName}`);
  }
}

function answers(path) {
  return new Promise(resolve => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

const groups = tiers.filter(({ group }) => group !== undefined);
if (isGroup) {
  const [name] = patterns;
  const chosen = groups.find(({ group }) => group === name);
  if (!chosen || patterns.length > 1) {
    console.error(`npm run test:group <name>; the groups are: ${groups.map(({ group }) => group).join(', ')}`);
    process.exit(2);
  }
  await jest(chosen);
} else if (patterns.length === 0) {
  checkTiers();
  const files = ['--cache', '--cache-location', join(cache, 'prettier'), '.'];
  await Promise.all([
    check('format', bin('prettier'), ['--check', '--log-level', 'warn', ...files]),
    check('banned words', process.execPath, [join(root, 'scripts', 'check-words.mjs')]).then(lint),
  ]);
  const chosen = tiers.filter(tier => !tier.group && (all || !tier.long));
  const waits = [];
  for (const tier of chosen) {
    if (tier.startsBeside) waits.push(...chosen.filter(({ beside }) => beside).map(jestBeside));
    if (!tier.beside) await jest(tier);
  }
  for (const wait of waits) await wait();
} else await jest({ title: 'chosen tests', match: patterns.join('|'), serial: true });

const socket = (process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');
console.table(durations);
console.log('the files that took longest');
console.table(slowest.sort((a, b) => b.seconds - a.seconds).slice(0, LISTED));
const used = serversUsed(servers, root);
if (used.length > 0)
  console.log('servers on which the product and its adapters ran; -: the suite used none for this part');
if (used.length > 0) console.table(used);
console.log(`docker: ${(await answers(socket)) ? socket : 'no engine answers, so its tests are skipped'}`);
if (patterns.length === 0)
  for (const { group, title } of groups) console.log(`left out: ${title}; \`npm run test:group ${group}\` runs it`);
if (patterns.length === 0 && !all) console.log('left out: the long suites and Docker; `npm run test:all` runs them');
for (const skip of skips) console.log(`skipped: ${skip}`);
for (const failure of failures) console.log(`failed: ${failure}`);
if (process.env.CI === 'true' && totals.skipped > 0) {
  console.log('CI=true: CI installs every server, so the skipped tests above count as failed');
  totals.failed += totals.skipped;
  totals.skipped = 0;
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(totals.failed > 0 ? 1 : 0);
