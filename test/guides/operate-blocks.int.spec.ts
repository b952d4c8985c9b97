import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, truncate, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeOn,
  expectStatus,
  prometheusMissing,
  prometheusProgram,
  repositoryRoot,
  StaveClient,
} from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';

jest.setTimeout(240_000);

const root = repositoryRoot();
const pageOf = (name: string): string => readFileSync(join(root, 'docs', 'operate', name), 'utf8');

let directory: string;
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'stave-operate-'))));
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('npm run event-log:verify', () => {
  const verify = (dataDir: string) => {
    const program = join(root, 'apps', 'all-in-one', 'dist', 'verify-event-log.main.js');
    return spawnSync(process.execPath, [program, dataDir], { encoding: 'utf8' });
  };

  it('ends with 0 beside a running product, and with 1 for a log that was cut', async () => {
    expect(pageOf('event-log.md')).toContain('npm run event-log:verify -- data');
    const stack = await EmbeddedStack.start(join(directory, 'data'));
    const client = new StaveClient(stack.url, stack.adminKey);
    expectStatus(await client.post('/v1/cluster-templates', { name: 'kept' }), 201);
    expect(verify(stack.dataDir)).toMatchObject({ status: 0, stderr: '' });
    expect(await stack.end('SIGKILL')).toBeNull();
    const log = join(stack.dataDir, 'event-store');
    const files = (await readdir(log)).filter(name => /log|\d/.test(name));
    const sizes = await Promise.all(files.map(async name => [name, (await stat(join(log, name))).size] as const));
    const [largest] = [...sizes].sort(([, a], [, b]) => b - a);
    await truncate(join(log, largest?.[0] ?? ''), 10);
    expect(verify(stack.dataDir).status).toBe(1);
  });
});

describeOn(prometheusMissing(), 'the configuration of Prometheus in docs/operate/observe.md', () => {
  it('is accepted with the rules of this repository', async () => {
    const [, block = ''] = /```yaml\n([\s\S]*?)```/.exec(pageOf('observe.md')) ?? [];
    const rules = join(root, 'deploy', 'observability', 'prometheus');
    const file = join(directory, 'prometheus.yaml');
    await writeFile(file, block.replaceAll('/etc/prometheus/stave', rules));
    expect(existsSync(join(rules, 'alerts.yaml'))).toBe(true);
    const said = execFileSync(prometheusProgram('promtool') ?? '', ['check', 'config', file], { encoding: 'utf8' });
    expect(said).toContain('SUCCESS');
    expect(said).not.toContain('FAILED');
  });
});
