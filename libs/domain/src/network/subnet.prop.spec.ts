import fc from 'fast-check';
import {
  blockSize,
  freeBlock,
  freeSubnet,
  noSubnets,
  overlapping,
  subnetOf,
  subnetText,
  takeSubnet,
} from './subnet.js';
import type { Subnet } from './subnet.js';

const POOL = subnetOf('10.0.0.0/24')!;
const aBlock = fc
  .tuple(fc.nat(255), fc.integer({ min: 24, max: 30 }))
  .map(([last, prefix]) => subnetOf(`10.0.0.${last}/${prefix}`)!);

const overlaps = (a: Subnet, b: Subnet): boolean => a.base < b.base + blockSize(b) && b.base < a.base + blockSize(a);

describe('Subnets of a cluster', () => {
  it('an overlap is found exactly where two blocks share an address, after any sequence of blocks taken and freed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(aBlock, fc.boolean()), { maxLength: 30 }), aBlock, (steps, asked) => {
        const subnets = noSubnets();
        const held = new Map<string, Subnet>();
        for (const [block, frees] of steps) {
          const text = subnetText(block);
          if (frees) {
            freeSubnet(subnets, block);
            held.delete(text);
          } else if (overlapping(subnets, block) === undefined) {
            takeSubnet(subnets, block, text);
            held.set(text, block);
          }
        }
        const sharing = [...held].filter(([, block]) => overlaps(block, asked)).map(([owner]) => owner);
        const found = overlapping(subnets, asked);
        expect(found === undefined).toBe(sharing.length === 0);
        if (found !== undefined) expect(sharing).toContain(found);
      }),
    );
  });

  it('a free block is found as long as there is one, and is free', () => {
    fc.assert(
      fc.property(fc.array(aBlock, { maxLength: 20 }), fc.integer({ min: 26, max: 30 }), (blocks, prefix) => {
        const subnets = noSubnets();
        for (const block of blocks)
          if (overlapping(subnets, block) === undefined) takeSubnet(subnets, block, subnetText(block));
        const size = blockSize({ prefix });
        const all = Array.from({ length: blockSize(POOL) / size }, (_, i) => ({ base: POOL.base + i * size, prefix }));
        const free = all.filter(block => overlapping(subnets, block) === undefined);
        expect(freeBlock(subnets, POOL, prefix)).toEqual(free[0]);
      }),
    );
  });

  it('reads and writes blocks', () => {
    const texts = ['10.1.2.3/16', '0.0.0.0/0', '255.255.255.255/32', '10.0.0.0', '10.0.0.0/33', '10.0.300.0/8', 'x/8'];
    const read = texts.map(text => subnetOf(text)).map(block => block && subnetText(block));
    expect(read).toEqual([
      '10.1.0.0/16',
      '0.0.0.0/0',
      '255.255.255.255/32',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
