import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventMetadata } from '@stave/platform';
import { repositoryRoot } from '@stave/testing';

/** One recorded event of a version of an event type. Fixtures are never changed or removed. */
export interface EventFixture {
  readonly stream: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: EventMetadata;
}

export const fixtureDirectory = join(repositoryRoot(), 'test/event-schemas/fixtures');

/** Returns `<category>/<type>.v<version>.json`. */
export const fixtureName = (category: string, type: string, version: number): string =>
  join(category, `${type}.v${version}.json`);

/** Returns all fixtures by file name. */
export function eventFixtures(): ReadonlyMap<string, EventFixture> {
  const names = readdirSync(fixtureDirectory, { recursive: true, encoding: 'utf8' });
  const files = names.filter(name => name.endsWith('.json')).sort();
  return new Map(files.map(name => [name, JSON.parse(readFileSync(join(fixtureDirectory, name), 'utf8'))]));
}
