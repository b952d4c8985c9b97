import { allReadRequest, allSubscriptionRequest } from './all-read.js';
import { streamReadRequest } from './stream-read.js';

const select = { prefixes: ['node-'] };

it.each([
  ['of all streams', allReadRequest({ from: 'start', backwards: false, count: 5, select })],
  ['of one stream', streamReadRequest({ stream: 'node-1', from: 'start', backwards: true, count: 5 })],
])('a read %s follows no links, and the server ends it after as many events as were asked for', (_, request) => {
  expect(request.getOptions()?.getResolveLinks()).toBe(false);
  expect(request.getOptions()?.getCount()).toBe('5');
});

it('a subscription follows no links, and the server reports its position every few thousand events that it does not select', () => {
  const options = allSubscriptionRequest({ after: -1, select }).getOptions();
  expect(options?.getResolveLinks()).toBe(false);
  const filter = options?.getFilter();
  const interval = (filter?.getMax() ?? 0) * (filter?.getCheckpointintervalmultiplier() ?? 0);
  expect(interval).toBeGreaterThanOrEqual(1_000);
  expect(interval).toBeLessThan(10_000);
});
