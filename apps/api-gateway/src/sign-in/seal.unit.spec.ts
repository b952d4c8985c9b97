import fc from 'fast-check';
import { Seal } from './seal.js';

const seal = new Seal(['the first secret, which is long enough']);

it('opens what it has sealed, for the same purpose, and nothing else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, place) => {
      const sealed = seal.seal(text, 'session');
      expect(sealed).toMatch(/^[\w-]+$/);
      expect(seal.open(sealed, 'session')).toBe(text);
      expect(seal.open(sealed, 'another')).toBeUndefined();
      const bytes = Buffer.from(sealed, 'base64url');
      const at = place % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect(seal.open(bytes.toString('base64url'), 'session')).toBeUndefined();
      expect(seal.open(sealed.slice(0, at), 'session')).toBeUndefined();
    }),
  );
});

it('a secret can be replaced while what it sealed is in use', () => {
  const sealed = seal.seal('text', 'session');
  const both = new Seal(['the second secret, which is long, too', 'the first secret, which is long enough']);
  expect(both.open(sealed, 'session')).toBe('text');
  expect(seal.open(both.seal('text', 'session'), 'session')).toBeUndefined();
});
