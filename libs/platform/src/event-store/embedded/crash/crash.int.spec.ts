import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execPath } from 'node:process';
import type { RecordedEvent } from '../../event-store.port.js';
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

/** Kills the writer when it has acknowledged `count` appends; gives back all it acknowledged. */
async function writeUntilKilled(directory: string, count: number): Promise<Acknowledged[]> {
  const script = [
    '--require',
    join(__dirname, 'register-typescript.cjs'),
    join(__dirname, 'crash-writer.ts'),
    directory,
  ];
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

function expectWhole(events: readonly RecordedEvent<unknown>[]): void {
  expect(events.every((event, i) => event.position === i)).toBe(true);
  const parts = events.map(event => event.data as Part);
  for (let at = 0; at < parts.length;) {
    const { batch, of } = parts[at] as Part;
    const whole = parts.slice(at, at + of).map(part => [part.batch, part.i]);
    expect(whole).toEqual(Array.from({ length: of }, (_, i) => [batch, i]));
    at += of;
  }
}

describe('embedded event store, its process killed', () => {
  const ROUNDS = 12;

  it('keeps every acknowledged event, without a gap and without half an append', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stave-crash-'));
    const acknowledged: Acknowledged[] = [];
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      acknowledged.push(...(await writeUntilKilled(directory, 1 + Math.floor(Math.random() * 1500))));
      const store = await EmbeddedEventStore.open({ directory });
      const events = await store.readAll({ limit: Infinity });
      await store.close();
      expect(events.length).toBeGreaterThan(found);
      found = events.length;
      expectWhole(events);
      for (const { stream, batch, of, revision, position } of acknowledged) {
        const last = events[position];
        expect(last).toMatchObject({ stream, revision, data: { batch, i: of - 1 } });
      }
    }
    await rm(directory, { recursive: true });
  }, 120_000);
});
