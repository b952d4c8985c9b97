import { setTimeout as delay } from 'node:timers/promises';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { Cloud, Reader } from '../cloud/cloud.js';

/** The first version of Nova's API in which a new server has tags. */
const headers = { 'openstack-api-version': 'compute 2.52' };
const pageSize = 1_000;
const pollMs = 1_000;

interface Server {
  readonly id: string;
  readonly status: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Returns the status of each server with this tag, by `<node id> <generation>`. */
export async function serversIn(cloud: Cloud, reader: Reader, tag: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let marker: string | undefined; ;) {
    const query = new URLSearchParams({ tags: tag, limit: String(pageSize), ...(marker !== undefined && { marker }) });
    const body = await cloud.read(reader, 'compute', `/servers/detail?${query.toString()}`, headers);
    const { servers } = body as { readonly servers: readonly Server[] };
    for (const { metadata, status } of servers)
      found.set(serverKey(metadata['stave.node'], metadata['stave.generation']), status);
    marker = servers.length < pageSize ? undefined : servers.at(-1)?.id;
    if (marker === undefined) return found;
  }
}

/** Returns the key of a node's server in `serversIn`. */
export const serverKey = (node = '', generation: string | number = ''): string => `${node} ${generation}`;

/** Restarts a server and waits until it runs. Throws `notFound` when it does not exist. */
export async function reboot(cloud: Cloud, ctx: DriverContext, id: string, type: 'SOFT' | 'HARD'): Promise<void> {
  const body = { reboot: { type } };
  await cloud.change(ctx, { service: 'compute', method: 'POST', path: `/servers/${id}/action`, body });
  for (;;) {
    const { server } = (await cloud.read(ctx, 'compute', `/servers/${id}`)) as { readonly server: Server };
    if (server.status === 'ACTIVE') return;
    if (server.status === 'ERROR') throw new DriverError('transient', `server ${id} is in ERROR after its restart`);
    await delay(pollMs, undefined, { signal: ctx.signal }).catch((cause: unknown) => {
      throw new DriverError('transient', 'the wait for the restart was interrupted', { cause });
    });
  }
}
