import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { affinity } from './affinity.js';

describe('the filter AFFINITY', () => {
  checkFilter(affinity, {
    wanted: request({
      labels: { app: 'web' },
      affinity: [{ kind: 'together', by: 'zone', with: { labels: { app: 'db' } } }],
    }),
    refused: node({ zone: 'b' }),
    accepted: node({ zone: 'a' }),
    others: [node({ id: 'o', zone: 'a', held: [{ kind: { labels: { app: 'db' } }, count: 1 }] })],
    open: request({ affinity: [{ kind: 'together', by: 'zone', mode: 'soft' }] }),
    remedy: { cost: 4, sentence: 'drop the rule of affinity' },
  });

  it('accepts the first of containers that attract each other anywhere, and waits for others', () => {
    const rule = { kind: 'together', by: 'zone' } as const;
    expect(refuses(affinity, request({ setId: 's', affinity: [rule] }), node())).toBe(false);
    const waits = request({ setId: 's', affinity: [{ ...rule, with: { set: 'other' } }] });
    expect(refuses(affinity, waits, node())).toBe(true);
  });
});
