import { instantsIn, PlanMask } from './plan-mask.js';

const none: ReadonlySet<never> = new Set();

describe('PlanMask', () => {
  it('replaces concealed texts and instants that the request did not give, and nothing else', () => {
    const event = { id: 'a', hash: 'h', at: '2030-01-01T00:00:00.000Z', parts: [{ hash: 'h', count: 3, none: null }] };
    expect(new PlanMask(new Set(['h']), none).apply(event)).toEqual({
      id: 'a',
      hash: '(generated)',
      at: '(time)',
      parts: [{ hash: '(generated)', count: 3, none: null }],
    });
  });

  it('keeps an instant of the request, in whatever time zone the request wrote it', () => {
    const event = { deadline: '2030-01-01T00:00:00.000Z' };
    const given = instantsIn({ deadline: '2030-01-01T01:00:00+01:00' });
    expect(new PlanMask(none, given).apply(event)).toEqual(event);
    expect(new PlanMask(none, none).apply(event)).toEqual({ deadline: '(time)' });
  });
});
