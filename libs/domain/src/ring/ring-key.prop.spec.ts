import fc from 'fast-check';
import { keyToken, normaliseGroup, parseRingKey, ringKey } from './ring-key.js';

const composed = '\u00c5\u00e9';
const decomposed = 'A\u030ae\u0301';

describe('ring key', () => {
  it('ring keys ignore the case and the Unicode composition of groups', () => {
    expect(normaliseGroup('Rack-A')).toEqual({ ok: true, value: 'rack-a' });
    expect(ringKey(composed, 'heat', 'group')).toBe(ringKey(decomposed, 'heat', 'group'));
    expect(ringKey('Rack', 'heat', 'group')).toBe(ringKey('rACK', 'heat', 'group'));
    expect(ringKey('', 'heat', 'group')).toBe(':heat');
  });

  it.each(['x', '\u{1f680}', '\u0130'])(
    'a ring key accepts a group of 255 code points "%s" and refuses 256, counted before case folding',
    char => {
      expect(normaliseGroup(char.repeat(255)).ok).toBe(true);
      expect(normaliseGroup(char.repeat(256))).toEqual({ ok: false, code: 'group-too-long' });
    },
  );

  it('the group limit of a ring key counts code points of the given text, not of the normalised one', () => {
    expect(normaliseGroup('e\u0301'.repeat(128)).ok).toBe(false);
    expect(normaliseGroup('e\u0301'.repeat(127))).toEqual({ ok: true, value: '\u00e9'.repeat(127) });
  });

  it('a ring key is split at the last colon, whatever the group contains', () => {
    expect(parseRingKey(ringKey('a:b', 'heat', 'group'))).toEqual({ group: 'a:b', driver: 'heat' });
    const driver = fc.string({ unit: 'grapheme', minLength: 1 }).filter(name => !name.includes(':'));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), driver, (group, name) => {
        const normalised = normaliseGroup(group);
        expect(parseRingKey(ringKey(group, name, 'group'))).toEqual({
          group: normalised.ok ? normalised.value : 'too long',
          driver: name,
        });
        expect(parseRingKey(ringKey(group, name, 'pinned'))).toEqual({ driver: name });
      }),
    );
  });

  it('a ring key is the same after a second normalisation of the group', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), group => {
        const once = normaliseGroup(group);
        expect(once.ok && normaliseGroup(once.value)).toEqual(once);
      }),
    );
  });

  it('the token of a ring key is the first 128 bits of its SHA-256', () => {
    expect(keyToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223');
    expect(keyToken(ringKey('x'.repeat(255), 'heat', 'group'))).toMatch(/^[0-9a-f]{32}$/);
  });
});
