import { rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';

jest.setTimeout(180_000);

it('a product whose event log lost events does not start until exactly that loss is accepted, and then starts again without', async () => {
  let running = await EmbeddedStack.start();
  const { dataDir } = running;
  const log = join(dataDir, 'event-store', 'events.log');
  const fleet = new Fleet(running);
  const kept = await fleet.cluster({}, [{ count: 1 }]);
  const { size } = await stat(log);
  const lost = await fleet.cluster({}, [{ count: 1 }]);
  expect(await running.end('SIGTERM')).toBe(0);
  await truncate(log, size);

  const refused: unknown = await EmbeddedStack.start(dataDir).catch((error: unknown) => error);
  expect(String(refused)).toMatch(
    /ended with 1 before it was ready: [^]*the snapshot .*event-store\/snapshot proves that/,
  );
  const [, missing = ''] = /ACCEPT_LOST_EVENTS=(\d+):/.exec(String(refused)) ?? [];
  expect(Number(missing)).toBeGreaterThan(0);
  expect((await stat(log)).size).toBe(size);
  const other: unknown = await EmbeddedStack.start(dataDir, { ACCEPT_LOST_EVENTS: '1000000' }).catch(
    (error: unknown) => error,
  );
  expect(String(other)).toContain(`ACCEPT_LOST_EVENTS=${missing}:`);

  running = await EmbeddedStack.start(dataDir, { ACCEPT_LOST_EVENTS: missing });
  const later = new Fleet(running);
  expect(await later.api.read(`/v1/clusters/${kept.id}`)).toMatchObject({ id: kept.id });
  expect((await later.api.get(`/v1/clusters/${lost.id}`)).status).toBe(404);
  await running.end('SIGKILL');
  running = await EmbeddedStack.start(dataDir);
  await running.close();
});

it('a product whose event log was deleted beside its snapshot does not start, and not at the second attempt either', async () => {
  const running = await EmbeddedStack.start();
  const { dataDir } = running;
  await new Fleet(running).cluster({}, [{ count: 1 }]);
  expect(await running.end('SIGTERM')).toBe(0);
  await rm(join(dataDir, 'event-store', 'events.log'));
  for (const start of ['first', 'second']) {
    const refused: unknown = await EmbeddedStack.start(dataDir).catch((error: unknown) => error);
    expect([start, String(refused)]).toEqual([start, expect.stringMatching(/ended with 1 before it was ready/)]);
    expect(String(refused)).toMatch(/ACCEPT_LOST_EVENTS=\d+:/);
  }
  await rm(dataDir, { recursive: true, force: true });
});
