import { aDriverContext } from '@stave/driver-sdk/testing';
import type { Cloud } from './cloud.js';
import { imageIn } from './images.js';

const id = '8f6b8f0e-0c3e-4a8e-9a3f-0d8f6a1b2c3d';
const images = [
  { id: 'new', name: 'fedora-43', os_distro: 'fedora' },
  { id: 'old', name: 'fedora-42', os_distro: 'fedora' },
  { id, name: 'ubuntu-24.04', os_distro: 'ubuntu' },
  { id: 'bare', name: 'by-hand' },
];

/** Glance, the newest image first. */
const cloud = {
  read: async (_reader: unknown, _service: string, path: string) => {
    const query = new URL(path, 'http://glance').searchParams;
    const wanted = (['os_distro', 'name'] as const).flatMap(key => [query.get(key)].map(value => ({ key, value })));
    const byId = query.get('id')?.replace(/^in:/, '');
    const found = images.filter(image => wanted.every(({ key, value }) => value === null || image[key] === value));
    return { images: found.filter(image => byId === undefined || image.id === byId) };
  },
} as unknown as Cloud;
const image = (os: string, wanted?: string) => imageIn(cloud, aDriverContext(), os, wanted);

describe('the image of a node', () => {
  it('is the one of that name or id, else the newest of the operating system', async () => {
    expect(await image('fedora', 'fedora-42')).toBe('old');
    expect(await image('ubuntu', id)).toBe(id);
    expect(await image('fedora')).toBe('new');
  });

  it.each([
    [
      'has another operating system',
      'fedora',
      'ubuntu-24.04',
      'image-os-mismatch',
      'has os_distro=ubuntu, this driver',
    ],
    ['has another one and is named by id', 'fedora', id, 'image-os-mismatch', 'this driver needs os_distro=fedora'],
    ['names no operating system', 'fedora', 'by-hand', 'image-os-mismatch', 'image by-hand has no os_distro'],
    ['does not exist', 'fedora', 'fedora-1', 'image-unknown', 'the cloud has no active image fedora-1'],
    [
      'is not named and there is none',
      'fedora-coreos',
      undefined,
      'image-unknown',
      'no image with os_distro=fedora-coreos',
    ],
  ])('is refused permanently, with the reason, where it %s', async (_what, os, wanted, code, message) => {
    const refused = image(os, wanted);
    await expect(refused).rejects.toMatchObject({ failure: 'permanent', code });
    await expect(refused).rejects.toThrow(message);
  });
});
