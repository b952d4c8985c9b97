import { murmur3 } from './murmur3.js';
import { SLOTS, slotOf } from './slot-table.js';

describe('MurmurHash3_x86_32', () => {
  it.each([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', 0xffffffff, 0x81f16f39],
    ['test', 0, 0xba6bd213],
    ['test', 0x9747b28c, 0x704b81dc],
    ['Hello, world!', 0, 0xc0363e43],
    ['Hello, world!', 0x9747b28c, 0x24884cba],
    ['The quick brown fox jumps over the lazy dog', 0, 0x2e4ff723],
    ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
    ['aaaa', 0x9747b28c, 0x5a97808a],
    ['aaa', 0x9747b28c, 0x283e0130],
    ['aa', 0x9747b28c, 0x5d211726],
    ['a', 0x9747b28c, 0x7fa09ea6],
    ['abc', 0, 0xb3dd93fa],
    ['ππππππππ', 0x9747b28c, 0xd58063c1],
  ])('gives the published value of "%s" with seed %i', (text, seed, expected) => {
    expect(murmur3(text, seed)).toBe(expected);
  });
});

describe('slotOf', () => {
  it('returns the same slots in every release', () => {
    expect(slotOf('test')).toBe(0xba6bd213 % SLOTS);
    expect(slotOf('')).toBe(0);
  });

  it('spreads resources evenly over the slots', () => {
    const held = new Array<number>(SLOTS).fill(0);
    for (let i = 0; i < 100 * SLOTS; i += 1)
      held[slotOf(`8c5b0f6e-0000-4000-8000-${String(i).padStart(12, '0')}`)]! += 1;
    const chiSquare = held.reduce((sum, count) => sum + (count - 100) ** 2 / 100, 0);
    expect(chiSquare).toBeLessThan(SLOTS + 6 * Math.sqrt(2 * SLOTS));
  });
});
