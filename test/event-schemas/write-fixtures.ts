import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eventVersions } from '@stave/domain';
import { EmbeddedEventStore, splitStream } from '@stave/platform';
import { format, resolveConfig } from 'prettier';
import { fixtureDirectory, fixtureName, type EventFixture } from './event-fixtures.js';
import type { PublishedTypes } from './published-types.js';
import { sampleOf } from './sample.js';

const PAGE = 5_000;
const TIME = '2026-01-01T00:00:00.000Z';

/**
 * Writes the missing fixtures: first from the logs in these directories (`…/event-store`), then, for published events,
 * from their schemas. Existing fixtures stay unchanged. Returns the names of the new ones.
 */
export async function writeMissingFixtures(
  published: PublishedTypes,
  directories: readonly string[],
): Promise<readonly string[]> {
  const made: string[] = [];
  const add = async (fixture: EventFixture): Promise<void> => {
    const { category } = splitStream(fixture.stream);
    const name = fixtureName(category, fixture.type, fixture.metadata.schemaVersion);
    const file = join(fixtureDirectory, name);
    if (existsSync(file)) return;
    await mkdir(dirname(file), { recursive: true });
    const text = JSON.stringify(fixture);
    await writeFile(file, await format(text, { ...(await resolveConfig(file)), parser: 'json' }));
    made.push(name);
  };
  for (const directory of directories) for await (const fixture of recorded(directory)) await add(fixture);
  for (const fixture of samples(published)) await add(fixture);
  return made;
}

async function* recorded(directory: string): AsyncIterable<EventFixture> {
  const store = await EmbeddedEventStore.open({ directory });
  try {
    for (let after = -1; ;) {
      const events = await store.readAll({ limit: PAGE, ...(after < 0 ? {} : { after }) });
      for (const { stream, type, data, metadata } of events)
        yield { stream, type, data: { ...(data as object) }, metadata };
      const last = events.at(-1);
      if (!last) return;
      after = last.position;
    }
  } finally {
    await store.close();
  }
}

function* samples({ types, definitions }: PublishedTypes): Iterable<EventFixture> {
  for (const { category, event, type } of types) {
    const schemaVersion = eventVersions.currentVersion(event);
    const schema = definitions[type];
    if (!schema || !type.endsWith(`.v${schemaVersion}`)) continue;
    const data = { ...(sampleOf(schema, definitions) as object) };
    yield {
      stream: `${category}-00000000-0000-4000-8000-000000000000`,
      type: event,
      data,
      metadata: { schemaVersion, time: TIME, correlationId: 'sample' },
    };
  }
}
