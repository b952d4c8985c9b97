import { roundsOf } from './mongo-writes.js';

describe('roundsOf', () => {
  it('keeps the guarded write with the highest position', () => {
    const writes = [5, 7, 6].map(position => ({ replace: { _id: 'a', position } }));
    expect(roundsOf(writes)).toEqual([[{ replace: { _id: 'a', position: 7 } }]]);
  });

  it('puts a guarded write after an unconditional one and drops earlier guarded ones', () => {
    const writes = [
      { replace: { _id: 'a', position: 9 } },
      { remove: 'a' },
      { replace: { _id: 'a', position: 1 } },
      { remove: 'b' },
    ];
    expect(roundsOf(writes)).toEqual([[{ remove: 'a' }, { remove: 'b' }], [{ replace: { _id: 'a', position: 1 } }]]);
  });
});
