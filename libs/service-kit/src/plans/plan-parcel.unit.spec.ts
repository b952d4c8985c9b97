import { randomUUID } from 'node:crypto';
import { packedPlan, unpackedPlan } from './plan-parcel.js';

const planOf = (nodes: number): object => ({
  planToken: 't',
  steps: Array.from({ length: nodes }, (_, i) => ({
    action: 'keep',
    resource: { type: 'node', id: randomUUID(), name: `workers-${i}` },
  })),
});

describe('a plan on its way', () => {
  it.each([0, 100, 10_000])('of %i nodes arrives as it was, and fits into a message', nodes => {
    const plan = planOf(nodes);
    const packed = packedPlan(plan);
    expect(JSON.stringify(packed).length).toBeLessThan(950_000);
    expect(unpackedPlan(JSON.parse(JSON.stringify(packed)))).toEqual(plan);
  });

  it('is refused where it would not fit', () => {
    expect(() => packedPlan(planOf(60_000))).toThrow('plan-too-large');
  });

  it('what is no parcel stays what it is', () => {
    for (const data of [undefined, null, { planToken: 't' }]) expect(unpackedPlan(data)).toBe(data);
  });
});
