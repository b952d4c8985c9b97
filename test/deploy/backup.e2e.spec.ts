import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, repositoryRoot, StaveClient } from '@stave/testing';
import { inheritedEnvironment } from '../distributed/distributed.config.js';
import { ManagedProcess } from '../distributed/managed-process.js';

jest.setTimeout(240_000);

interface Cluster {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

const backup = (...args: readonly string[]): { readonly code: number | null; readonly text: string } => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(repositoryRoot(), 'scripts/backup.mjs'), ...args],
    {
      encoding: 'utf8',
    },
  );
  return { code: status, text: `${stdout}${stderr}` };
};

describe('npm run backup', () => {
  let directory = '';
  let data = '';
  let port = 0;
  let product: ManagedProcess;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-backup-'));
    data = join(directory, 'data');
    port = await freePort();
    product = new ManagedProcess('stave', {
      entry: join(repositoryRoot(), 'apps/all-in-one/dist/main.js'),
      env: { ...inheritedEnvironment(), DATA_DIR: data, PORT: String(port), DRIVERS_ENABLED: 'fake' },
      cwd: directory,
      logFile: join(directory, 'stave.log'),
      ready: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
    });
    await product.start();
  });
  afterAll(async () => {
    await product?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const client = async (): Promise<StaveClient> =>
    new StaveClient(`http://127.0.0.1:${port}`, (await readFile(join(data, 'admin.key'), 'utf8')).trim());
  const nodeGroups = [{ name: 'w', role: 'worker', count: 2, flavor: { cpus: 1, memoryMb: 512 } }];
  const build = (api: StaveClient, name: string): Promise<Cluster> =>
    api.succeed<Cluster>(api.post('/v1/clusters', { name, driver: 'fake', nodeGroups }), 60_000);
  const histories = async (api: StaveClient, clusters: readonly Cluster[]): Promise<unknown> =>
    Promise.all(clusters.map(({ id }) => api.list(`/v1/clusters/${id}/events?limit=500`)));

  it('a backup of the running product is restored with everything that was acknowledged before it, and works on', async () => {
    let api = await client();
    const before = [await build(api, 'one'), await build(api, 'two')];
    const known = await histories(api, before);

    // written while the backup is made
    let writing = true;
    const load = (async () => {
      for (let i = 0; writing; i++) await api.post('/v1/clusters', { name: `load-${i}`, driver: 'fake', nodeGroups });
    })();
    const saved = join(directory, 'saved');
    expect(backup('create', data, saved)).toEqual({ code: 0, text: expect.stringMatching(/^2 files, \d+ bytes in /) });
    writing = false;
    await load;
    expect(backup('verify', saved).code).toBe(0);
    expect((await stat(join(saved, 'admin.key'))).mode & 0o777).toBe(0o600);
    const key = await readFile(join(data, 'admin.key'), 'utf8');
    await build(api, 'after');

    // the machine is lost; what its clusters are made of is not
    await product.kill();
    for (const name of ['event-store', 'admin.key']) await rename(join(data, name), join(directory, `lost-${name}`));
    expect(backup('restore', saved, data).code).toBe(0);
    await product.start();
    api = await client();
    expect(await readFile(join(data, 'admin.key'), 'utf8')).toBe(key);
    const clusters = await api.list<Cluster>('/v1/clusters?limit=500');
    expect(clusters.filter(({ name }) => ['one', 'two'].includes(name))).toMatchObject([
      { status: 'ACTIVE' },
      { status: 'ACTIVE' },
    ]);
    expect(clusters.map(({ name }) => name)).not.toContain('after');
    expect(await histories(api, before)).toEqual(known);
    await build(api, 'again');
  });

  it('a restore that ends in the middle leaves no log with which the product would start', async () => {
    const [saved, other] = [join(directory, 'saved'), join(directory, 'interrupted')];
    const command = 'ulimit -f 1; exec "$0" "$@"';
    const script = join(repositoryRoot(), 'scripts/backup.mjs');
    const { status } = spawnSync('bash', ['-c', command, process.execPath, script, 'restore', saved, other]);
    expect(status).not.toBe(0);
    expect(existsSync(join(other, 'event-store'))).toBe(false);
    expect(backup('restore', saved, other).code).toBe(0);
    const log = 'event-store/events.log';
    expect((await readFile(join(other, log))).equals(await readFile(join(saved, log)))).toBe(true);
    expect((await readdir(other)).sort()).toEqual(['admin.key', 'event-store']);
  });

  it('nothing is overwritten or mixed, and a damaged or incomplete backup is not restored', async () => {
    const saved = join(directory, 'saved');
    expect(backup('create', data, saved)).toEqual({ code: 1, text: expect.stringContaining('exists') });
    expect(backup('restore', saved, data)).toEqual({ code: 1, text: expect.stringContaining('move it away') });
    expect(backup('create', directory, join(directory, 'none')).text).toContain('has no event log');
    expect(backup('restore', directory, join(directory, 'other')).text).toContain('no complete backup');
    await truncate(join(saved, 'event-store/events.log'), 100);
    await writeFile(join(saved, 'admin.key'), 'another');
    expect(backup('restore', saved, join(directory, 'other'))).toEqual({
      code: 1,
      text: `${saved}: event-store/events.log is damaged\n${saved}: admin.key is damaged\n`,
    });
    expect(backup('verify', saved).code).toBe(1);
    expect(backup('erase', saved).code).toBe(1);
  });
});
