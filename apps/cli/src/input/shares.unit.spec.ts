import { sharesAsValues } from './shares.js';

it.each([
  ['ng resize shop/w -1% --wait', 'ng resize shop/w --wait -- -1%'],
  ['ng resize --wait shop/w -12.5%', 'ng resize --wait shop/w -- -12.5%'],
  ['ng resize shop/w -1% -- more', 'ng resize shop/w -- -1% more'],
  ['ng resize shop/w -1 --wait', 'ng resize shop/w -1 --wait'],
  ['ng resize shop/w +5% -y', 'ng resize shop/w +5% -y'],
  ['__complete -- ng resize shop/w -1%', '__complete -- ng resize shop/w -1%'],
  ['c list -5x% -%', 'c list -5x% -%'],
])('the words %s are read as %s', (words, read) => {
  expect(sharesAsValues(words.split(' ')).join(' ')).toBe(read);
});
