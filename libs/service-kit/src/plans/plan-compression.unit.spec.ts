import { randomUUID } from 'node:crypto';
import { compressPlan, decompressPlan } from './plan-compression.js';

const planOf = (nodes: number): object => ({
  planToken: 't',
  steps: Array.from({ length: nodes }, (_, i) => ({
    action: 'keep',
    resource: { type: 'node', id: randomUUID(), name: `workers-${i}` },
  })),
});

describe('compressPlan', () => {
  it.each([0, 100, 10_000])(
    'fits a plan of %i nodes into a message, and decompressPlan returns the same plan',
    nodes => {
      const plan = planOf(nodes);
      const compressed = compressPlan(plan);
      expect(JSON.stringify(compressed).length).toBeLessThan(950_000);
      expect(decompressPlan(JSON.parse(JSON.stringify(compressed)))).toEqual(plan);
    },
  );

  it('refuses a plan that does not fit into a message', () => {
    expect(() => compressPlan(planOf(60_000))).toThrow('plan-too-large');
  });
});

describe('decompressPlan', () => {
  it('returns uncompressed data unchanged', () => {
    for (const data of [undefined, null, { planToken: 't' }]) expect(decompressPlan(data)).toBe(data);
  });
});
