import { NodeUsages } from './node-usage.js';

const place = { clusterId: 'k', nodeGroupId: 'g' };

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const sample = (second: number, nodeId = 'n1') => ({
  at: at(second),
  nodeIds: [nodeId],
  cpuCores: [second],
  memoryMb: [5],
});

const add = (usages: NodeUsages, samples: ReturnType<typeof sample>) =>
  usages.add(samples, usages.known.of(samples.nodeIds));

it('the utilisation of a node shows the last sample and a short history, oldest first', () => {
  const usages = new NodeUsages(
    () => place,
    () => Date.parse(at(41)),
  );
  expect(usages.of('n1')).toBe('unknown');
  for (let second = 0; second <= 40; second++) add(usages, sample(second));
  const shown = usages.of('n1');
  if (shown === 'unknown') throw new Error('it was sampled');
  expect(shown).toMatchObject({ cpuCores: 40, memoryMb: 5, at: at(40) });
  expect(usages.now('n1')).toEqual({ cpuCores: 40, memoryMb: 5, at: at(40) });
  expect(usages.lastTime('n1')).toBe(Date.parse(at(40)));
  expect(shown.history.map(({ cpuCores }) => cpuCores)).toEqual(Array.from({ length: 30 }, (_, i) => 11 + i));
});

it('the utilisation of a node is dropped after a minute without samples and when the node is deleted', () => {
  let now = Date.parse(at(0));
  const nodes = new Set(['n1', 'n2']);
  const usages = new NodeUsages(
    id => (nodes.has(id) ? place : undefined),
    () => now,
  );
  add(usages, sample(0));
  add(usages, sample(0, 'other'));
  expect(usages.of('n1')).not.toBe('unknown');
  expect(usages.of('other')).toBe('unknown');
  now += 61_000;
  expect(usages.of('n1')).toBe('unknown');
  now -= 61_000;
  nodes.delete('n1');
  expect(usages.of('n1')).toBe('unknown');
  usages.forget('n1');
  add(usages, sample(1, 'n1'));
  expect(usages.known.get('n1')).toBeUndefined();
});
