import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { someEvents } from '../../contract/contract.fixture.js';
import { EmbeddedEventStore } from '../embedded.event-store.js';
import { StreamFilter } from './stream-filter.js';

it('a start asks no older segment for streams that begin in what it reads, and an append to a new stream asks each once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stave-start-cost-'));
  const open = (): Promise<EmbeddedEventStore> =>
    EmbeddedEventStore.open({ directory, fsync: false, segmentEvents: 40 });
  const first = await open();
  for (let n = 0; n < 200; n++) await first.append(`s-${n}`, someEvents(2), 'no_stream');
  await first.close();
  const asked = jest.spyOn(StreamFilter.prototype, 'mayHave');
  const store = await open();
  expect(asked).toHaveBeenCalledTimes(0);
  await store.append('s-new', someEvents(1), 'no_stream');
  const segments = asked.mock.calls.length;
  expect(segments).toBeGreaterThanOrEqual(6);
  expect(segments).toBeLessThanOrEqual(10);
  asked.mockRestore();
  await store.close();
  await rm(directory, { recursive: true });
});
