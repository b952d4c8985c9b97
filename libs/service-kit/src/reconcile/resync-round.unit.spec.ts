import { ResyncRound } from './resync-round.js';

it('checks a thousand ids per call, every id in turn, and then starts again from the first', () => {
  const ids = new Set(Array.from({ length: 2_500 }, (_, i) => `id-${i}`));
  const checked: string[] = [];
  const round = new ResyncRound({ ids: () => ids.keys(), check: id => checked.push(id) });
  round.complete();
  expect(checked.splice(0)).toEqual([...ids]);
  round.next();
  expect(checked).toHaveLength(1_000);
  ids.add('later');
  round.next();
  round.next();
  expect(checked.splice(0)).toEqual([...ids]);
  round.next();
  expect(checked[0]).toBe('id-0');
});

it('leaves to the caller how all are checked at', () => {
  let calls = 0;
  const round = new ResyncRound(() => void (calls += 1));
  round.complete();
  round.next();
  expect(calls).toBe(2);
});
