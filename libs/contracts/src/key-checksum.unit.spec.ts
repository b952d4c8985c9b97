import { mayBeKey, withChecksum } from './key-checksum.js';

it('a key with a missing, wrong or additional character is no key, and keys of other forms may be', () => {
  const key = withChecksum(`stv_0123456789ab_${'x'.repeat(43)}`);
  expect(mayBeKey(key)).toBe(true);
  for (let at = 4; at < key.length; at++) {
    expect(mayBeKey(key.slice(0, at) + key.slice(at + 1))).toBe(false);
    expect(mayBeKey(`${key.slice(0, at)}${key[at] === '7' ? '8' : '7'}${key.slice(at + 1)}`)).toBe(false);
  }
  expect(mayBeKey(`${key}0`)).toBe(false);
  expect(mayBeKey('stv_')).toBe(false);
  expect([mayBeKey('stave_of-an-earlier-release'), mayBeKey('chosen-by-an-operator')]).toEqual([true, true]);
});
