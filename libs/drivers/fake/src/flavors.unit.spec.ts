import { aDriverContext } from '@stave/driver-sdk/testing';
import { fakeFlavors } from './flavors.js';

describe('FAKE_FLAVORS', () => {
  const asked = (name: string) => ({ name, project: ['p'], options: {} });

  it('lists flavors with their sizes', async () => {
    const { flavor } = fakeFlavors('small=0.5:1024, large = 8:16384:100');
    expect(await flavor?.(aDriverContext(), asked('small'))).toEqual({ name: 'small', cpus: 0.5, memoryMb: 1024 });
    const large = { name: 'large', cpus: 8, memoryMb: 16_384, diskGb: 100 };
    expect(await flavor?.(aDriverContext(), asked('large'))).toEqual(large);
    const unknown = flavor?.(aDriverContext(), asked('Large'));
    await expect(unknown).rejects.toMatchObject({ failure: 'permanent', code: 'flavor-unknown' });
  });

  it('without it no flavor is known by name', () => {
    expect([undefined, ''].map(fakeFlavors)).toEqual([{}, {}]);
  });

  it.each(['small', 'small=1', 'small=0:512', 'small=1:512:', '=1:512', 'small=1:512,', 'small=-1:512'])(
    'refuses "%s"',
    listed => {
      expect(() => fakeFlavors(listed)).toThrow(/FAKE_FLAVORS has ".*" where name=cpus:memoryMb\[:diskGb\] is needed/);
    },
  );
});
