import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InProcessCloud } from './cloud/in-process-cloud.js';
import { journalPath } from './cloud/journal-file.js';
import { statePath } from './cloud/state-file.js';
import { fakeDriver } from './fake.driver.js';
import { HttpCloud } from './http/http-cloud.js';
import { serveFakeCloud } from './http/serve-fake-cloud.js';
import { aDriverContext, aNodeSpec } from '@stave/driver-sdk/testing';

describe('Durability of the fake cloud', () => {
  let dataDir = '';
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fake-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('restores every acknowledged change after a kill, and truncates an incomplete line', async () => {
    const before = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir));
    const node = aNodeSpec();
    const made = await before.node.create(aDriverContext(), node);
    await before.close();
    await rm(statePath(dataDir)); // as after a kill
    await appendFile(journalPath(dataDir), '{"seq":2,"call":"cre');

    for (let restart = 0; restart < 2; restart++) {
      const driver = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir));
      expect(await driver.node.create(aDriverContext(), node)).toEqual(made);
      await driver.node.create(aDriverContext(), aNodeSpec());
      expect(await driver.list(aDriverContext())).toHaveLength(2 + restart);
      await driver.close();
    }
  });

  it('a start replays only what was journaled after the last close', async () => {
    const node = aNodeSpec();
    const first = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir));
    const made = await first.node.create(aDriverContext(), node);
    await first.close();
    const [known, journal] = [await readFile(statePath(dataDir)), await readFile(journalPath(dataDir), 'utf8')];
    const second = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir));
    await second.node.create(aDriverContext(), aNodeSpec());
    await second.close();
    await writeFile(statePath(dataDir), known); // as after a kill of the second process
    const later = (await readFile(journalPath(dataDir), 'utf8')).slice(journal.length);
    const [last = ''] = journal.trimEnd().split('\n').slice(-1);
    await writeFile(journalPath(dataDir), `${last.padStart(journal.length - 1)}\n${later}`);
    const third = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir));
    expect(await third.list(aDriverContext())).toHaveLength(2);
    expect(await third.node.create(aDriverContext(), node)).toEqual(made);
    await third.close();
  });

  it.each([
    ['a journal that lacks the end', (text: string) => text.slice(0, -20)],
    ['another journal of the same length', (text: string) => text.replaceAll('"at":"2', '"at":"1')],
  ])('a stored state is not used with %s', async (_what, change) => {
    const first = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir));
    await first.node.create(aDriverContext(), aNodeSpec());
    await first.close();
    const changed = change(await readFile(journalPath(dataDir), 'utf8'));
    await writeFile(journalPath(dataDir), changed.replace('"state":"running"', '"state":"stopped"'));
    const second = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir));
    const states = (await second.list(aDriverContext())).map(({ state }) => state);
    expect(states).not.toContain('running');
    await second.close();
  });

  it('opens in one process at a time, and takes over the lock of a process that has ended', async () => {
    const lock = join(dataDir, 'fake-cloud', 'lock');
    await mkdir(join(dataDir, 'fake-cloud'));
    // left by a process of another PID namespace that has ended: a process with this id lives here
    await writeFile(lock, String(process.ppid));
    await (await InProcessCloud.open(dataDir)).close();
    const holder = spawn('flock', ['-x', lock, 'sh', '-c', 'echo locked; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await once(holder.stdout, 'data');
    await expect(InProcessCloud.open(dataDir)).rejects.toMatchObject({ failure: 'conflict' });
    process.kill(-(holder.pid ?? 0), 'SIGKILL');
    await once(holder, 'exit');
    await (await InProcessCloud.open(dataDir)).close();
  });

  it('fails as transient while the process of the cloud is down, and continues after its restart', async () => {
    const first = await serveFakeCloud({ host: '127.0.0.1', port: 0, dataDir });
    const driver = fakeDriver({ installation: 'i1', env: {} }, await HttpCloud.connect(first.url));
    const node = aNodeSpec();
    const made = await driver.node.create(aDriverContext(), node);
    await first.close();
    await expect(driver.node.create(aDriverContext(), node)).rejects.toMatchObject({ failure: 'transient' });
    const second = await serveFakeCloud({ host: '127.0.0.1', port: first.port, dataDir });
    expect(await driver.node.create(aDriverContext(), node)).toEqual(made);
    const journal = await (await fetch(`${second.url}/journal`)).text();
    expect(
      journal
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).effect),
    ).toEqual(['created', 'adopted']);
    await driver.close();
    await second.close();
  });

  it('stops a slow call over HTTP at its signal', async () => {
    const server = await serveFakeCloud({ host: '127.0.0.1', port: 0, dataDir });
    const driver = fakeDriver({ installation: 'i1', env: {} }, await HttpCloud.connect(server.url));
    const controller = new AbortController();
    const node = aNodeSpec({ options: { latencyMs: 3_600_000 } });
    const creating = driver.node.create(
      aDriverContext({ signal: controller.signal, checkpoint: () => setImmediate(() => controller.abort()) }),
      node,
    );
    await expect(creating).rejects.toMatchObject({ failure: 'transient' });
    await driver.close();
    await server.close();
  });

  it('refuses to connect to an address without a fake cloud', async () => {
    const server = await serveFakeCloud({ host: '127.0.0.1', port: 0, dataDir });
    await server.close();
    await expect(HttpCloud.connect(server.url)).rejects.toMatchObject({ failure: 'transient' });
  });
});
