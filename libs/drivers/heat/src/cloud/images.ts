import { DriverError } from '@stave/driver-sdk';
import type { Cloud, Reader } from './cloud.js';

interface GlanceImage {
  readonly id: string;
  readonly name?: string | null;
  readonly os_distro?: string;
}

/**
 * Returns the id of an active image, by name or id, else the newest one of this operating system (`os_distro`). Throws a permanent DriverError:
 * `image-unknown`, or `image-os-mismatch` when it has another operating system.
 */
export async function imageIn(cloud: Cloud, reader: Reader, os: string, wanted?: string): Promise<string> {
  const found = wanted === undefined ? await newestOf(cloud, reader, os) : await imageNamed(cloud, reader, wanted);
  if (!found) {
    const message =
      wanted === undefined ? `the cloud has no image with os_distro=${os}` : `the cloud has no active image ${wanted}`;
    throw new DriverError('permanent', message, { code: 'image-unknown' });
  }
  if (found.os_distro === os) return found.id;
  const has = found.os_distro === undefined ? 'no os_distro' : `os_distro=${found.os_distro}`;
  throw new DriverError('permanent', `image ${wanted} has ${has}, this driver needs os_distro=${os}`, {
    code: 'image-os-mismatch',
  });
}

async function imagesWith(
  cloud: Cloud,
  reader: Reader,
  query: Record<string, string>,
): Promise<readonly GlanceImage[]> {
  const text = new URLSearchParams({ ...query, status: 'active', sort: 'created_at:desc', limit: '20' }).toString();
  const { images } = (await cloud.read(reader, 'image', `/v2/images?${text}`)) as {
    readonly images: readonly GlanceImage[];
  };
  return images;
}

const newestOf = async (cloud: Cloud, reader: Reader, os: string): Promise<GlanceImage | undefined> =>
  (await imagesWith(cloud, reader, { os_distro: os }))[0];

async function imageNamed(cloud: Cloud, reader: Reader, wanted: string): Promise<GlanceImage | undefined> {
  const [byName] = await imagesWith(cloud, reader, { name: wanted });
  if (byName || !/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(wanted)) return byName;
  return (await imagesWith(cloud, reader, { id: `in:${wanted}` }))[0];
}
