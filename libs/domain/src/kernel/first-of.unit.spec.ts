import { firstOf } from './first-of.js';

it.each([
  [0, 0],
  [3, 3],
  [10, 5],
])('of five values at most %i are taken: %i', (most, expected) => {
  let taken = 0;
  function* values(): Generator<number> {
    for (let i = 1; i <= 5; i++) {
      taken++;
      yield i;
    }
  }
  expect(firstOf(values(), most)).toEqual([1, 2, 3, 4, 5].slice(0, expected));
  expect(taken).toBe(expected);
});
