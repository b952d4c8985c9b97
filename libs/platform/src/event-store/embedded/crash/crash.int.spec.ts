import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execPath } from 'node:process';
import type { RecordedEvent } from '../../event-store.port.js';
import { withSeed } from '../../../testing/seeded.js';
import { EmbeddedEventStore } from '../embedded.event-store.js';

interface Acknowledged {
  readonly stream: string;
  readonly batch: string;
  readonly of: number;
  readonly revision: number;
  readonly position: number;
}

interface Part {
  readonly batch: string;
  readonly i: number;
  readonly of: number;
}

const ROUNDS = 12;
const MAX_APPENDS = 1_500;

let directory: string;
beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), 'stave-crash-'))));
afterEach(() => rm(directory, { recursive: true }));

/** Kills the writer once it has acknowledged `count` appends; returns all that it acknowledged. */
async function writeUntilKilled(count: number): Promise<Acknowledged[]> {
  const loader = join(__dirname, '..', '..', '..', 'testing', 'register-typescript.cjs');
  const script = ['--require', loader, join(__dirname, 'crash-writer.fixture.ts'), directory];
  const child = spawn(execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const acknowledged: Acknowledged[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.endsWith('}')) continue; // the kill may cut the last line
    acknowledged.push(JSON.parse(line));
    if (acknowledged.length === count) child.kill('SIGKILL');
  }
  expect(await exit).toEqual([null, 'SIGKILL']);
  return acknowledged;
}

async function readLog(): Promise<readonly RecordedEvent<unknown>[]> {
  const store = await EmbeddedEventStore.open({ directory, segmentEvents: 400 });
  const events = await store.readAll({ limit: Infinity });
  await store.close();
  return events;
}

function expectCompleteAppends(events: readonly RecordedEvent<unknown>[]): void {
  expect(events.every((event, i) => event.position === i)).toBe(true);
  const parts = events.map(event => event.data as Part);
  for (let at = 0; at < parts.length;) {
    const { batch, of } = parts[at] as Part;
    const append = parts.slice(at, at + of).map(part => [part.batch, part.i]);
    expect(append).toEqual(Array.from({ length: of }, (_, i) => [batch, i]));
    at += of;
  }
}

it(
  'embedded event store keeps every acknowledged event and only complete appends when its process is killed',
  () =>
    withSeed(async random => {
      const acknowledged: Acknowledged[] = [];
      let found = 0;
      for (let round = 0; round < ROUNDS; round++) {
        acknowledged.push(...(await writeUntilKilled(1 + Math.floor(random() * MAX_APPENDS))));
        const events = await readLog();
        expect(events.length).toBeGreaterThan(found);
        found = events.length;
        expectCompleteAppends(events);
        for (const { stream, batch, of, revision, position } of acknowledged)
          expect(events[position]).toMatchObject({ stream, revision, data: { batch, i: of - 1 } });
      }
      expect((await readdir(directory)).filter(name => /^events\.\d+\.log$/.test(name)).length).toBeGreaterThan(20);
    }),
  240_000,
);
