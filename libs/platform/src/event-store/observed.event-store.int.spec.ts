import { staveRegistry } from '../observability/stave-metrics.js';
import { someEvents } from './contract/contract.fixture.js';
import { EmbeddedEventStore } from './embedded/embedded.event-store.js';
import { describeEventStoreContract } from './event-store.contract.js';
import { ObservedEventStore } from './observed.event-store.js';

const open = async () => new ObservedEventStore(await EmbeddedEventStore.open({ memory: true }));

describeEventStoreContract('observed', async () => {
  const store = await open();
  return { store, release: () => store.close() };
});

it('appends are timed by category and outcome, conflicts and events are counted, and events are as they were given without a trace', async () => {
  const store = await open();
  const [one, two] = [someEvents(2), someEvents(1)];
  await store.append('orbit-1', one, 'no_stream');
  await expect(store.append('orbit-1', two, 'no_stream')).rejects.toThrow('expected no_stream');
  await store.appendInOrder([{ stream: 'comet-1', events: two, expected: 'no_stream' }]);
  const shown = await staveRegistry.metrics();
  expect(shown).toContain('stave_append_duration_seconds_count{category="orbit",outcome="appended"} 1');
  expect(shown).toContain('stave_append_duration_seconds_count{category="orbit",outcome="conflict"} 1');
  expect(shown).toContain('stave_append_duration_seconds_count{category="comet",outcome="appended"} 1');
  expect(shown).toContain('stave_append_conflicts_total{category="orbit"} 1');
  expect((await store.readStream('orbit-1')).map(({ metadata }) => metadata)).toEqual(
    one.map(({ metadata }) => metadata),
  );
  await store.close();
});
