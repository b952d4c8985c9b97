import { DriverError } from '@stave/driver-sdk';
import type { Cloud, Reader } from '../cloud/cloud.js';

/**
 * Returns the id of the network outside of the cloud, by name or id; without either the first by name, and the empty text when the cloud has
 * none. Throws a permanent DriverError when there is none of this name.
 */
export async function externalNetworkIn(cloud: Cloud, reader: Reader, wanted: string | undefined): Promise<string> {
  const path = '/v2.0/networks?router%3Aexternal=True&fields=id&fields=name';
  const { networks } = (await cloud.read(reader, 'network', path)) as {
    readonly networks: readonly { readonly id: string; readonly name: string }[];
  };
  const byName = [...networks].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (wanted === undefined) return byName[0]?.id ?? '';
  const found = byName.find(({ id, name }) => name === wanted || id === wanted);
  if (!found) throw new DriverError('permanent', `the cloud has no external network ${wanted} (HEAT_EXTERNAL_NETWORK)`);
  return found.id;
}
