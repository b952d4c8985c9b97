import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

const packages = join(repositoryRoot(), '.cache', 'schemathesis');

const hooks = join(repositoryRoot(), 'test', 'schemathesis');

/** Returns why Schemathesis cannot run; undefined when it can. */
export const schemathesisMissing = (): string | undefined =>
  existsSync(join(packages, 'schemathesis')) ? undefined : 'no Schemathesis: run scripts/install-test-servers.sh';

/** Seconds in which requests are made; with the start and the report it takes less than two minutes on two idle cores. */
const REQUEST_SECONDS = 90;
/** A run that takes longer hangs: on a busy machine the start and the report alone may take more than half a minute. */
const LIMIT_MS = 240_000;

/** Existing resources by the first two segments of their path, for example `/v1/clusters`. */
export type ExistingIds = Readonly<Record<string, readonly string[]>>;

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** A drained conductor would refuse the work of all later requests. */
const excluded = ['drainConductor'];

const configuration = [
  'continue-on-failure = true',
  'request-timeout = 20',
  'max-stream-events = 1',
  'suppress-health-check = ["all"]',
  'generation = { no-shrink = true, database = "none" }',
  // malformed requests are those of the coverage phase
  'phases.fuzzing.generation.mode = "positive"',
  'phases.stateful.generation.mode = "positive"',
  'checks.enabled = false',
  ...checks.map(check => `checks.${check}.enabled = true`),
  'checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]',
  ...excluded.map(id => `[[operations]]\ninclude-operation-id = "${id}"\nenabled = false`),
].join('\n');

export interface SchemathesisRun {
  readonly code: number | null;
  readonly output: string;
}

/** Lets Schemathesis derive requests from the OpenAPI document of the product, for 90 seconds. */
export async function runSchemathesis(
  url: string,
  key: string,
  seed: number,
  ids: ExistingIds,
): Promise<SchemathesisRun> {
  const directory = await mkdtemp(join(tmpdir(), 'stave-schemathesis-'));
  const config = join(directory, 'schemathesis.toml');
  await writeFile(config, configuration);
  const run = ['run', `${url}/openapi.json`, '--header', `Authorization: Bearer ${key}`, '--seed', String(seed)];
  const child = spawn(
    'python3',
    ['-m', 'schemathesis.cli', '--config-file', config, ...run, '--max-time', String(REQUEST_SECONDS)],
    {
      cwd: directory,
      env: {
        ...process.env,
        PYTHONPATH: [packages, hooks].join(delimiter),
        SCHEMATHESIS_HOOKS: 'mostly_valid',
        STAVE_EXISTING_IDS: JSON.stringify(ids),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  await rm(directory, { recursive: true, force: true });
  return { code, output };
}
