import { eventVersions } from '@stave/domain';
import { cloudEvent, splitStream } from '@stave/platform';
import { eventFixtures, fixtureName, type EventFixture } from './event-fixtures.js';
import { folds, unfolded } from './folds.js';
import { publishedTypes } from './published-types.js';
import { schemaCheck } from './schema-check.js';

const fixtures = eventFixtures();
const all = [...fixtures].map(([name, fixture]) => ({ name, fixture, ...splitStream(fixture.stream) }));
const current = ({ type, data, metadata }: EventFixture) => ({
  type,
  data: eventVersions.toCurrent(type, metadata.schemaVersion, data),
});
/** With which streams of this category begin. */
const births = new Map(
  all.filter(({ fixture }) => /(Created|Declared|Registered)$/.test(fixture.type)).map(f => [f.category, f.fixture]),
);

describe('events that were ever written', () => {
  it('have a fixture for each version of each type: `npm run event-schemas` adds what is missing', () => {
    const wanted = publishedTypes().types.flatMap(({ category, event }) =>
      Array.from({ length: eventVersions.currentVersion(event) }, (_, i) => fixtureName(category, event, i + 1)),
    );
    expect(wanted.filter(name => !fixtures.has(name))).toEqual([]);
  }, 60_000);

  it.each(all)('are what their fixture is named after: $name', ({ name, category, fixture }) => {
    expect(name).toBe(fixtureName(category, fixture.type, fixture.metadata.schemaVersion));
    expect(fixture.metadata.schemaVersion).toBeLessThanOrEqual(eventVersions.currentVersion(fixture.type));
  });

  it.each(all.filter(({ category }) => !unfolded.has(category)))('still fold: $name', ({ category, fixture }) => {
    const fold = folds.get(category);
    if (!fold) throw new Error(`say in folds.ts how streams of ${category} are folded`);
    const birth = births.get(category);
    const isBirth = birth?.type === fixture.type;
    const before = birth && !isBirth ? [current(birth)] : [];
    const complete = fold([...before, current(fixture)]);
    expect(complete).toEqual(fold([...before, current(fixture)]));
    expect(JSON.stringify(complete)).not.toContain('NaN');
    if (isBirth) expect(complete).not.toEqual(fold([]));
  });

  it('keep the schema of their version', () => {
    const problemOf = schemaCheck();
    const published = new Set(publishedTypes().types.map(({ category, event }) => `${category} ${event}`));
    const shown = all.filter(({ category, fixture }) => published.has(`${category} ${fixture.type}`));
    const events = shown.map(({ fixture }) =>
      cloudEvent({ ...fixture, id: 'e', revision: 0, position: 0 }, '/stave/installation'),
    );
    expect(events.map(problemOf).filter(problem => problem !== undefined)).toEqual([]);
    expect(events.length).toBeGreaterThan(90);
  }, 60_000);
});
