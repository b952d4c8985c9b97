import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { EmbeddedEventStore } from '../embedded.event-store.js';

/** The process that the crash test kills: many writers append and print each acknowledgement as a line of JSON. */
const WRITERS = 48;
const STDOUT = 1;

async function write(store: EmbeddedEventStore, writer: number): Promise<never> {
  const time = new Date().toISOString();
  for (let n = 0; ; n++) {
    const batch = randomUUID();
    const of = 1 + ((writer + n) % 5);
    const events = Array.from({ length: of }, (_, i) => ({
      id: randomUUID(),
      type: 'BatchPartWritten',
      data: { batch, i, of, filler: 'x'.repeat((n * 37) % 700) },
      metadata: { schemaVersion: 1, time, correlationId: batch },
    }));
    const stream = `crash-${writer % 16}`;
    const { revision, position } = await store.append(stream, events, 'any');
    writeSync(STDOUT, `${JSON.stringify({ stream, batch, of, revision, position })}\n`);
  }
}

async function main(directory: string): Promise<void> {
  const store = await EmbeddedEventStore.open({ directory, segmentEvents: 400, fileBytes: 50_000 });
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(store, writer)));
}

void main(argv[2] ?? '');
