import { chosenFlavor, sizesOf } from './flavors.js';

const flavor = (id: string, vcpus: number, ram: number, disk: number) => ({ id, name: `m1.${id}`, vcpus, ram, disk });
const flavors = [
  ...[flavor('large', 4, 8_192, 80), flavor('tiny', 1, 512, 1), flavor('small', 2, 2_048, 20)],
  ...[flavor('wide', 8, 2_048, 20), flavor('roomy', 2, 2_048, 200)],
];
const chosen = (wanted: Parameters<typeof chosenFlavor>[1]): string | undefined => chosenFlavor(flavors, wanted)?.id;

describe('the flavor of a node', () => {
  it('is the one of that name or id, whatever its sizes', () => {
    expect(chosen({ name: 'm1.large', cpus: 1, memoryMb: 1 })).toBe('large');
    expect(chosen({ name: 'tiny', cpus: 64, memoryMb: 1 })).toBe('tiny');
    expect(chosen({ name: 'm1.huge', cpus: 1, memoryMb: 1 })).toBeUndefined();
  });

  it('is the smallest that has the sizes: by memory, then cores, then disk', () => {
    expect(chosen({ cpus: 1, memoryMb: 512 })).toBe('tiny');
    expect(chosen({ cpus: 1, memoryMb: 513 })).toBe('small');
    expect(chosen({ cpus: 3, memoryMb: 513 })).toBe('wide');
    expect(chosen({ cpus: 1, memoryMb: 512, diskGb: 21 })).toBe('roomy');
    expect(chosen({ cpus: 9, memoryMb: 512 })).toBeUndefined();
  });

  it('by its name alone has the sizes of the cloud', () => {
    expect(sizesOf(chosenFlavor(flavors, { name: 'm1.small' })!)).toEqual({
      ...{ name: 'm1.small', cpus: 2, memoryMb: 2_048, diskGb: 20 },
    });
    expect(sizesOf(flavor('diskless', 1, 64, 0))).toEqual({ name: 'm1.diskless', cpus: 1, memoryMb: 64 });
  });
});
