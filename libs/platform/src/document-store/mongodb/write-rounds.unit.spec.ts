import { roundsOf } from './write-rounds.js';

describe('roundsOf', () => {
  it('keeps of several guarded writes the highest', () => {
    const writes = [5, 7, 6].map(position => ({ replace: { _id: 'a', position } }));
    expect(roundsOf(writes)).toEqual([[{ replace: { _id: 'a', position: 7 } }]]);
  });

  it('puts a guarded write behind what holds in any case, and drops what came before that', () => {
    const writes = [
      { replace: { _id: 'a', position: 9 } },
      { remove: 'a' },
      { replace: { _id: 'a', position: 1 } },
      { remove: 'b' },
    ];
    expect(roundsOf(writes)).toEqual([[{ remove: 'a' }, { remove: 'b' }], [{ replace: { _id: 'a', position: 1 } }]]);
  });
});
