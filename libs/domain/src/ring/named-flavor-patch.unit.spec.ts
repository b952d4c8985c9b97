import { mergePatch } from '../kernel/json.js';
import { isNameOnly, meantFlavorPatch } from './named-flavor-patch.js';

describe('a patch of a flavor', () => {
  const knowing = { name: 'd', namedFlavors: true };
  const before = { name: 'small', cpus: 1, memoryMb: 512, diskGb: 10 };
  const after = (manifest: object, patch: Readonly<Record<string, unknown>>): unknown =>
    mergePatch(before, meantFlavorPatch({ ...manifest }, patch));

  it.each([
    ['a name alone takes the place of the sizes', { name: 'large' }, { name: 'large' }],
    ['also with a size removed', { name: 'large', diskGb: null }, { name: 'large' }],
    ['sizes take the place of the name', { memoryMb: 1024 }, { cpus: 1, memoryMb: 1024, diskGb: 10 }],
    ['a name with a size is merged', { name: 'large', cpus: 2 }, { ...before, name: 'large', cpus: 2 }],
    ['a removed name leaves the sizes', { name: null }, { cpus: 1, memoryMb: 512, diskGb: 10 }],
    ['a removed size keeps the name', { diskGb: null }, { name: 'small', cpus: 1, memoryMb: 512 }],
  ])('for a driver that knows flavors by name: %s', (_what, patch, result) => {
    expect(after(knowing, patch)).toEqual(result);
  });

  it('is merged as it is for other drivers', () => {
    expect(after({ name: 'd' }, { name: 'large' })).toEqual({ ...before, name: 'large' });
    expect(after({}, { memoryMb: 1024 })).toEqual({ ...before, memoryMb: 1024 });
  });

  it('leads to the flavor that was found, with nothing of the earlier one', () => {
    const found = { name: 'large', cpus: 8, memoryMb: 16_384 };
    expect(mergePatch(before, meantFlavorPatch(knowing, { name: 'large' }, found))).toEqual(found);
    expect(mergePatch(before, meantFlavorPatch({}, { name: 'large' }, found))).toEqual(found);
  });

  it('gives a name only where it gives no size', () => {
    expect([{ name: 'a' }, { name: 'a', diskGb: null }].map(isNameOnly)).toEqual([true, true]);
    expect([{}, { name: null }, { cpus: 1 }, { name: 'a', cpus: 1 }].map(isNameOnly)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
