import { patchOf } from './difference.js';
import { flavorContradictions } from './flavors.js';
import { fleetEntries } from './fleet-file.js';
import { kinds } from './kinds.js';
import { asEntry } from './present.js';

const errorOf = (value: unknown): string => {
  try {
    fleetEntries(value);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a fleet file', () => {
  it('entries have their members, their children and their policies', () => {
    const [cluster] = fleetEntries({
      clusters: [
        { name: 'shop', driver: 'fake', nodeGroups: [{ name: 'w', count: 2 }], policies: [{ policy: 'pack' }] },
      ],
    });
    expect(cluster).toMatchObject({
      name: 'shop',
      members: { name: 'shop', driver: 'fake' },
      children: [{ name: 'w', members: { count: 2 }, pointer: '/clusters/0/nodeGroups/0' }],
      policies: [{ policy: 'pack' }],
    });
  });

  it('every unknown, missing and doubled member is named at once', () => {
    const message = errorOf({
      cluster: [],
      clusters: [{ name: 'a', cout: 3 }, { driver: 'fake' }, { name: 'A' }, 5],
      containerSets: {},
      policies: [{ name: 'p', policies: [] }],
    });
    for (const pointer of [
      '/cluster:',
      '/clusters/0/cout:',
      '/clusters/1/name:',
      '/clusters/2/name:',
      '/clusters/3:',
      '/containerSets:',
      '/policies/0/policies:',
    ])
      expect(message).toContain(pointer);
  });

  it.each([[undefined], [[]], ['text']])('%j is no fleet file', value => {
    expect(errorOf(value)).toMatch(/is an object/);
  });
});

describe('flavors of one name in a cluster', () => {
  const contradictions = (cluster: object): string[] =>
    fleetEntries({ clusters: [{ name: 'shop', ...cluster }] }).flatMap(entry =>
      flavorContradictions(entry).map(({ pointers, text }) => `${pointers[1]}: ${text}`),
    );
  const medium = { name: 'medium', cpus: 2, memoryMb: 2048 };
  const group = (name: string, flavor: object, more: object = {}) => ({ name, flavor, ...more });

  it('other sizes are found, with both places', () => {
    const nodeGroups = [group('a', { ...medium, cpus: 4 }), group('b', { ...medium, memoryMb: 64 })];
    expect(contradictions({ defaults: { flavor: medium }, nodeGroups })).toEqual([
      expect.stringMatching(
        /^\/clusters\/0\/nodeGroups\/0\/flavor: medium has 4 CPUs here, but 2 CPUs at \/clusters\/0\/defaults\/flavor;/,
      ),
      expect.stringMatching(
        /^\/clusters\/0\/nodeGroups\/1\/flavor: medium has 64 MB .* \/clusters\/0\/defaults\/flavor;/,
      ),
    ]);
  });

  it.each([
    ['the same sizes', [group('a', medium), group('b', { ...medium, diskGb: 20 })]],
    ['a name alone', [group('a', medium), group('b', { name: 'medium' })]],
    ['other names', [group('a', medium), group('b', { ...medium, name: 'large', cpus: 8 })]],
    ['no names', [group('a', { cpus: 1, memoryMb: 64 }), group('b', { cpus: 2, memoryMb: 64 })]],
    ['other conductor groups', [group('a', medium), group('b', { ...medium, cpus: 4 }, { conductorGroup: 'site-b' })]],
  ])('%s contradict nothing', (_title, nodeGroups) => {
    expect(contradictions({ nodeGroups })).toEqual([]);
  });
});

describe('the difference between a file and a resource', () => {
  const present = { count: 2, flavor: { cpus: 4, memoryMb: 8192 }, labels: { a: '1', b: '2' }, description: null };
  const members = ['count', 'flavor', 'labels', 'description'];

  it('equal members and members that the file does not mention are no change', () => {
    expect(patchOf({ count: 2, flavor: { cpus: 4 }, name: 'x' }, present, members)).toBeUndefined();
    expect(patchOf({ description: null }, {}, members)).toBeUndefined();
  });

  it('only what differs is in the patch', () => {
    expect(patchOf({ count: 3, flavor: { cpus: 6, memoryMb: 8192 } }, present, members)).toEqual({
      count: 3,
      flavor: { cpus: 6 },
    });
  });

  it('labels that the file does not name are removed', () => {
    expect(patchOf({ labels: { a: '1', c: '3' } }, present, members)).toEqual({ labels: { b: null, c: '3' } });
  });

  it('lists are replaced as a whole', () => {
    expect(patchOf({ zones: ['a'] }, { zones: ['a', 'b'] }, ['zones'])).toEqual({ zones: ['a'] });
  });
});

describe('an entry of an export', () => {
  it('leaves out empty values, but for those that say something', () => {
    const document = { name: 'w', count: 2, labels: {}, zones: [], image: null, machineSelector: {} };
    expect(asEntry(kinds.nodeGroups, document)).toEqual({ name: 'w', count: 2, machineSelector: {} });
  });
});
