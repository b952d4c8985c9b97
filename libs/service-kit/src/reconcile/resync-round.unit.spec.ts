import { ResyncRound } from './resync-round.js';

it('looks at a thousand a time, at all of them in turn, and begins anew', () => {
  const ids = new Set(Array.from({ length: 2_500 }, (_, i) => `id-${i}`));
  const looked: string[] = [];
  const round = new ResyncRound({ ids: () => ids.keys(), look: id => looked.push(id) });
  round.whole();
  expect(looked.splice(0)).toEqual([...ids]);
  round.goOn();
  expect(looked).toHaveLength(1_000);
  ids.add('later');
  round.goOn();
  round.goOn();
  expect(looked.splice(0)).toEqual([...ids]);
  round.goOn();
  expect(looked[0]).toBe('id-0');
});

it('leaves to the caller how all are looked at', () => {
  let calls = 0;
  const round = new ResyncRound(() => void (calls += 1));
  round.whole();
  round.goOn();
  expect(calls).toBe(2);
});
