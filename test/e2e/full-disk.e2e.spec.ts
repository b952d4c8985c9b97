import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, itOn } from '@stave/testing';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';

jest.setTimeout(240_000);

const PAGE = 4096;
let directory: string;
let isMounted = false;
const probed = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stave-full-'));
  isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', directory]).status === 0;
});
afterEach(async () => {
  if (isMounted) spawnSync('umount', ['--lazy', directory]);
  await rm(directory, { recursive: true, force: true });
});

itOn(
  probed ? undefined : 'no file system can be mounted here',
  'a product whose disk is full refuses commands and says so, reads on, resumes when there is room, and loses nothing',
  async () => {
    let running = await EmbeddedStack.start(directory);
    const fleet = new Fleet(running);
    const ballast = join(directory, 'ballast');
    const readyz = async (): Promise<unknown> => {
      const answer = await fetch(`${running.url}/readyz`);
      return [answer.status, ((await answer.json()) as { checks: object }).checks];
    };
    const isReady = async (): Promise<boolean> => JSON.stringify(await readyz()) === ready;
    const ready = JSON.stringify([200, { messaging: 'ok', eventStore: 'ok' }]);
    const acknowledged = [(await fleet.cluster({}, [{ count: 2 }])).id];
    expect(await isReady()).toBe(true);

    await fill(ballast);
    await eventually(async () => JSON.stringify(await readyz()).startsWith('[503'), 'the product is not ready');
    expect(await readyz()).toEqual([503, { messaging: 'ok', eventStore: 'down' }]);
    acknowledged.push(...(await untilRefused(fleet)));
    expect(await fleet.api.read(`/v1/clusters/${acknowledged[0]}`)).toMatchObject({ status: 'ACTIVE' });
    expect(await fleet.api.read(`/v1/clusters?limit=10`)).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ id: acknowledged[0] })]),
    });

    await truncate(ballast, 0);
    await eventually(isReady, 'the product is ready again');
    const next = await fleet.ask({}, [{ count: 1 }]);
    expect(next.status).toBe(202);
    acknowledged.push(next.body.id);

    await fill(ballast); // work of the second cluster meets the full disk
    acknowledged.push(...(await untilRefused(fleet)));
    await truncate(ballast, 0);
    await running.end('SIGKILL');
    running = await EmbeddedStack.start(directory);
    const later = new Fleet(running);
    for (const id of acknowledged)
      await eventually(
        async () => (await later.api.read<{ status: string }>(`/v1/clusters/${id}`)).status === 'ACTIVE',
        `${id} is active`,
      );
    expect((await later.api.read<{ items: unknown[] }>('/v1/clusters')).items).toHaveLength(acknowledged.length);
    expect(await running.end('SIGTERM')).toBe(0);
  },
);

/** Creates clusters until one is refused; the last page of the log may still have room for some. Returns those that were accepted. */
async function untilRefused(fleet: Fleet): Promise<string[]> {
  const accepted: string[] = [];
  for (let answer = await fleet.ask({}, []); answer.status !== 503; answer = await fleet.ask({}, [])) {
    expect(answer.status).toBe(202);
    accepted.push(answer.body.id);
    expect(accepted.length).toBeLessThan(20);
  }
  return accepted;
}

/** Fills the disk so far that not even one page can be written. */
async function fill(file: string): Promise<void> {
  for (;;) {
    const { bavail } = await statfs(directory);
    if (bavail === 0) return;
    await writeFile(file, Buffer.alloc(bavail * PAGE), { flag: 'a' }).catch(() => undefined);
  }
}
