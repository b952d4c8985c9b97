import { Shares } from './shares.js';

describe('Shares', () => {
  it('limits one holder and all together, and forgets who has nothing', () => {
    const shares = new Shares(2, 3);
    const releases = [shares.take('a', 1), shares.take('a', 1), shares.take('b', 1)];
    expect([shares.full('a'), shares.full('b'), shares.full('c')]).toEqual(['key', 'all', 'all']);
    for (const release of [...releases, ...releases]) release();
    expect([shares.full('a'), shares.full('b'), shares.holders]).toEqual([undefined, undefined, 0]);
  });

  it('has no limits where they are 0', () => {
    const shares = new Shares(0, 0);
    shares.take('a', 1_000);
    expect(shares.full('a')).toBeUndefined();
  });
});
