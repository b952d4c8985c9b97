import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, startAllInOne } from '@stave/all-in-one';
import { loadDrivers } from '@stave/driver-sdk';
import { silentLogger } from '@stave/driver-sdk/testing';
import { eventually, freePort, repositoryRoot } from '@stave/testing';
import { RestClient } from '../distributed/rest-client.js';

jest.setTimeout(120_000);

/** Runs a built command as a user does. */
function run(command: 'scaffold/new-driver' | 'testing/check/check-driver', ...args: string[]) {
  const main = join(repositoryRoot(), 'libs/drivers/sdk/dist', `${command}.main.js`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { ok: status === 0, text: stdout + stderr };
}

function compile(directory: string) {
  const compiler = join(repositoryRoot(), 'node_modules/ts7/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-b', directory], { encoding: 'utf8' });
  return { text: stdout + stderr };
}

describe('driver:new and driver:check', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stave-scaffold-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  function make(name: string, ...more: string[]): string {
    const { ok, text } = run('scaffold/new-driver', name, '--in', folder, ...more);
    expect([ok, text]).toEqual([true, expect.stringContaining('Next:')]);
    return join(folder, name.replaceAll('_', '-'));
  }
  const checkDriver = (directory: string) => run('testing/check/check-driver', directory);

  it('driver:new creates a driver that conforms to the contract and builds a cluster in the product', async () => {
    const directory = make('acme_cloud');
    const parts = ['api.ts', 'monitor.ts', 'scale.ts', 'template-definition.ts'].map(file => `src/${file}`);
    for (const part of [...parts, 'templates/node.json', 'image/README.md', 'image/build.sh'])
      expect([part, existsSync(join(directory, part))]).toEqual([part, true]);
    expect(spawnSync(join(directory, 'image', 'build.sh')).status).toBe(0);
    const { ok, text } = checkDriver(directory);
    expect(text).toContain('acme_cloud@1.0.0 conforms to the contract');
    expect(ok).toBe(true);
    await buildsCluster(directory, 'acme_cloud');
  });

  it('driver:new forks a driver that conforms to the contract under its own name', async () => {
    const directory = make('my_fake', '--from', 'fake');
    const { ok, text } = checkDriver(directory);
    expect(text).toContain('my_fake@1.0.0 conforms to the contract');
    expect(ok).toBe(true);
  });

  it.each([
    ['k8s_fedora', 'src/template-definition.ts', 'cluster.yaml', /^description: .*$/m, 'description: of Acme'],
    ['swarm_docker', 'src/index.ts', 'node.json', /"StopTimeout": 5/, '"StopTimeout": 9'],
  ])(
    'a fork of %s compiles outside of Stave, differs in what was changed only, and is loaded beside it',
    async (from, own, changed, before, after) => {
      const fork = make(`acme_${from}`, '--from', from);
      const original = join(repositoryRoot(), 'libs/drivers', from.replaceAll('_', '-'));
      expect(await readFile(join(fork, own), 'utf8')).toBe(await readFile(join(original, own), 'utf8'));
      const template = join(fork, 'templates', changed);
      await writeFile(template, (await readFile(template, 'utf8')).replace(before, after));
      const compiled = compile(fork);
      expect([from, compiled.text]).toEqual([from, '']);
      const { drivers, refused } = await loadDrivers({ directories: [original, fork], log: silentLogger });
      expect(refused).toEqual([]);
      expect(drivers.map(({ manifest }) => manifest.name)).toEqual([from, `acme_${from}`]);
      const directories = [join(original, 'templates'), join(fork, 'templates')];
      const differing = spawnSync('diff', ['-rq', ...directories], { encoding: 'utf8' });
      expect(differing.stdout.trim().split('\n')).toEqual([expect.stringContaining(changed)]);
    },
  );

  it('driver:check reports each failed check with its purpose, and fails, when a driver does not conform', async () => {
    const directory = make('careless');
    const session = join(directory, 'src', 'unit-session.ts');
    const careful = await readFile(session, 'utf8');
    const careless = careful
      .replace('if (own) return own;', 'if (own && !own.id) return own;')
      .replace('this.ctx.checkpoint();', '');
    expect(careless).not.toBe(careful);
    await writeFile(session, careless.replace('${resourceId}-g${generation}`', '${resourceId}-${Math.random()}`'));
    const { ok, text } = checkDriver(directory);
    expect(ok).toBe(false);
    expect(text).toMatch(/✗ adopts the existing unit when a create is repeated\n +A create is repeated after a crash/);
    expect(text).toContain('✗ completes a create that crashed before any of its changes');
    expect(text).toContain('careless@1.0.0 does not conform to the contract');
  });

  it('driver:check calls operations, and checks their answers and the folder of the image', async () => {
    const directory = make('careless_parts');
    const api = join(directory, 'src', 'api.ts');
    const careful = await readFile(api, 'utf8');
    await writeFile(api, careful.replace('items: wanted', 'units: wanted'));
    await chmod(join(directory, 'image', 'build.sh'), 0o644);
    const { ok, text } = checkDriver(directory);
    expect(ok).toBe(false);
    expect(text).toContain('✗ answers its operations as its manifest declares them');
    expect(text).toContain("must have required property 'items'");
    expect(text).toContain('✗ documents the image of nodes, and has a script that makes it');
    expect(text).toContain('image/build.sh is missing or cannot be executed');
    await chmod(join(directory, 'image', 'build.sh'), 0o755);
    await writeFile(api, careful.replace('const units =', 'ctx.checkpoint();\n      const units ='));
    const changing = checkDriver(directory);
    expect(changing.text).toContain('operation units is a GET, which changes nothing');
    expect(changing.text).not.toContain('✗ documents the image');
  });

  it.each([
    ['does not compile', 'src/index.ts', 'const wrong: number = "text";', 'the driver does not compile'],
    [
      'has an invalid manifest',
      'driver.manifest.json',
      '{"name":"Bad"}',
      'a conductor would refuse the driver: invalid manifest',
    ],
    ['cannot be opened', 'src/index.ts', 'export default { open() { throw new Error("no cloud"); } };', 'no cloud'],
  ])('driver:check reports that a driver %s', async (problem, file, content, message) => {
    const directory = make(`bad_${problem.replaceAll(/\W/g, '_')}`);
    await writeFile(join(directory, file), content);
    const { ok, text } = checkDriver(directory);
    expect(text).toContain(message);
    expect(ok).toBe(false);
  });

  async function buildsCluster(directory: string, driver: string): Promise<void> {
    const settings = readSettings({
      PORT: String(await freePort()),
      DATA_DIR: join(folder, 'data'),
      DRIVERS_PATH: directory,
      DRIVERS_ENABLED: driver,
      LOG_LEVEL: 'error',
    });
    const stave = await startAllInOne(settings);
    try {
      const rest = new RestClient(stave.url, (await readFile(stave.adminKeyFile, 'utf8')).trim());
      const flavor = { cpus: 1, memoryMb: 512 };
      const nodeGroups = [{ name: 'w', role: 'worker', count: 3, flavor, options: { tier: 'gold' } }];
      const { status, body } = await rest.call('POST', '/v1/clusters', { name: 'first', driver, nodeGroups });
      expect([status, body]).toEqual([202, expect.anything()]);
      const path = `/v1/clusters/${String(body['id'])}`;
      await eventually(async () => (await rest.get(path)).body['status'] === 'ACTIVE', { timeoutMs: 30_000 });
      const { items } = (await rest.get(`${path}/driver/units?kind=node`)).body;
      expect(items).toHaveLength(3);
      expect((await rest.call('DELETE', path)).status).toBe(202);
      await eventually(async () => (await rest.get(path)).status === 404, { timeoutMs: 30_000 });
    } finally {
      await stave.close();
    }
  }
});
