import { streamKey } from './segment.js';
import { StreamFilter } from './stream-filter.js';

const hashOf = (n: number): number => streamKey(`node-01a212ff-${n.toString(16).padStart(8, '0')}`).hash;

it('a stream filter has every stream that was added, and two of 1,000 others at most', () => {
  const streams = 4_000;
  const others = 50_000;
  const filter = StreamFilter.for(streams);
  for (let n = 0; n < streams; n++) filter.add(hashOf(n));
  for (let n = 0; n < streams; n++) expect(filter.mayHave(hashOf(n))).toBe(true);
  let wrong = 0;
  for (let n = 0; n < others; n++) if (filter.mayHave(hashOf(streams + n))) wrong++;
  expect(wrong).toBeLessThanOrEqual(others * 0.002);
});
