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
/** The first event of a stream, by category. */
const firstEvents = new Map(
  all
    .filter(({ fixture }) => /(Created|Declared|NodeGroupRegistered|RegistrationRequested)$/.test(fixture.type))
    .map(f => [f.category, f.fixture]),
);

describe('fixtures of events', () => {
  it('each version of each event type has a fixture (`npm run event-schemas` adds missing ones)', () => {
    const wanted = publishedTypes().types.flatMap(({ category, event }) =>
      Array.from({ length: eventVersions.currentVersion(event) }, (_, i) => fixtureName(category, event, i + 1)),
    );
    expect(wanted.filter(name => !fixtures.has(name))).toEqual([]);
  }, 120_000);

  it.each(all)('the fixture $name contains the event and version of its name', ({ name, category, fixture }) => {
    expect(name).toBe(fixtureName(category, fixture.type, fixture.metadata.schemaVersion));
    expect(fixture.metadata.schemaVersion).toBeLessThanOrEqual(eventVersions.currentVersion(fixture.type));
  });

  it.each(all.filter(({ category }) => !unfolded.has(category)))(
    'the current code folds the fixture $name',
    ({ category, fixture }) => {
      const fold = folds.get(category);
      if (!fold) throw new Error(`folds.ts has no fold for streams of the category ${category}; add one`);
      const firstEvent = firstEvents.get(category);
      const isFirst = firstEvent?.type === fixture.type;
      const before = firstEvent && !isFirst ? [current(firstEvent)] : [];
      const complete = fold([...before, current(fixture)]);
      expect(complete).toEqual(fold([...before, current(fixture)]));
      expect(JSON.stringify(complete)).not.toContain('NaN');
      if (isFirst) expect(complete).not.toEqual(fold([]));
    },
  );

  it('the fixtures match the schemas of their versions', () => {
    const problemOf = schemaCheck();
    const published = new Set(publishedTypes().types.map(({ category, event }) => `${category} ${event}`));
    const shown = all.filter(({ category, fixture }) => published.has(`${category} ${fixture.type}`));
    const events = shown.map(({ fixture }) =>
      cloudEvent({ ...fixture, id: 'e', revision: 0, position: 0 }, '/stave/installation'),
    );
    expect(events.map(problemOf).filter(problem => problem !== undefined)).toEqual([]);
    expect(events.length).toBeGreaterThan(90);
  }, 120_000);
});
