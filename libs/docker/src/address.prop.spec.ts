import fc from 'fast-check';
import { chooseAddress, sameSubnet } from './address.js';

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

describe('chooseAddress', () => {
  it('chooses a different address for each node, and never network, gateway or broadcast', () => {
    const inputs = fc.record({ third: fc.integer({ min: 0, max: 255 }), prefix: fc.integer({ min: 24, max: 29 }) });
    fc.assert(
      fc.property(inputs, fc.string(), ({ third, prefix }, seed) => {
        const size = 2 ** (32 - prefix);
        const base = toNumber(`10.9.${third}.0`);
        const taken = new Set<string>();
        for (let n = 0; n < size - 3; n += 1)
          taken.add(chooseAddress(`10.9.${third}.0/${prefix}`, `${seed}${n}`, taken));
        const numbers = [...taken].map(toNumber);
        expect(taken.size).toBe(size - 3);
        expect(Math.min(...numbers)).toBe(base + 2);
        expect(Math.max(...numbers)).toBe(base + size - 2);
        expect(() => chooseAddress(`10.9.${third}.0/${prefix}`, seed, taken)).toThrow('are in use');
      }),
      { numRuns: 30 },
    );
  });

  it('chooses the same address for the same key', () => {
    expect(chooseAddress('10.80.4.0/22', 'n1', new Set())).toBe(chooseAddress('10.80.4.0/22', 'n1', new Set()));
  });
});

it('sameSubnet compares the networks, not the spelling of their base address', () => {
  expect(sameSubnet('10.9.0.7/24', '10.9.0.0/24')).toBe(true);
  expect(sameSubnet('10.9.0.0/24', '10.9.0.0/25')).toBe(false);
  expect(sameSubnet('10.9.1.0/24', '10.9.0.0/24')).toBe(false);
});
