import { v7 as uuidv7 } from 'uuid';
import { blend, fits, instantsIn, PlanMovedError } from './plan-blend.js';

const none: ReadonlySet<number> = new Set();

const computed = (): object => {
  const [id, operation] = [uuidv7(), uuidv7()];
  const name = `group-${id.slice(-6)}`;
  return {
    stream: `nodeGroup-${id}`,
    data: { id, name, count: 3, operation: { id: `n-${operation}` }, at: new Date().toISOString(), labels: { a: 'b' } },
    nodes: [`${name}-0`, `${name}-1`],
  };
};

describe('blend', () => {
  it('shows what is made afresh as such, the same thing by the same name', () => {
    const blended = blend(computed(), computed(), none);
    expect(blended).toEqual({
      stream: 'nodeGroup-(new 1)',
      data: {
        id: '(new 1)',
        name: 'group-(generated)',
        count: 3,
        operation: { id: '(new 2)' },
        at: '(time)',
        labels: { a: 'b' },
      },
      nodes: ['group-(generated)-0', 'group-(generated)-1'],
    });
    expect(blend(computed(), computed(), none)).toEqual(blended);
    expect(fits(blended, computed())).toBe(true);
    expect(fits(blended, { ...computed(), nodes: ['x-0', 'x-2'] })).toBe(false);
    expect(fits(blended, { ...computed(), more: 1 })).toBe(false);
  });

  it('keeps an instant that was asked for, however it was written', () => {
    const event = { deadline: '2030-01-01T00:00:00.000Z' };
    expect(blend(event, event, instantsIn({ deadline: '2030-01-01T01:00:00+01:00' }))).toEqual(event);
    expect(blend(event, event, none)).toEqual({ deadline: '(time)' });
  });

  it.each([
    [{ n: 1 }, { n: 2 }],
    [{ n: 1 }, { m: 1 }],
    [{ n: [1] }, { n: [1, 2] }],
    [{ n: 'text' }, { n: null }],
    [[], {}],
  ])('%j and %j are not the same plan', (one, other) => {
    expect(() => blend<unknown>(one, other, none)).toThrow(PlanMovedError);
  });
});
