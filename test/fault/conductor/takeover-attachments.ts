import type { TaskKind } from '@stave/driver-sdk';
import { expectStatus, uniqueName } from '@stave/testing';
import type { ResourceView } from '../../e2e/views.js';
import type { TakeoverHarness } from './takeover-harness.js';

const EACH = 3;
const options = { volumeDrivers: { shared: 'cluster' } };
const types = [
  { type: 'network', driver: 'overlay' },
  { type: 'volume', driver: 'shared' },
] as const;

/** Starts a deletion and a creation of networks and volumes for each row of the takeover table. `stop` assigns the next row of a kind. */
export async function actOnAttachments(
  { api, fleet, group }: TakeoverHarness,
  stop: (kind: TaskKind, resourceId?: string) => void,
): Promise<void> {
  const { id } = await fleet.cluster({ conductorGroup: group, options }, [{ count: 0 }]);
  for (const { type, driver } of types) {
    const ask = () => api.post<ResourceView>(`/v1/clusters/${id}/${type}s`, { name: uniqueName('a'), driver });
    const made = await Promise.all(Array.from({ length: EACH }, () => api.succeed(ask())));
    for (const one of made) {
      stop(`${type}.delete`, one.id);
      expectStatus(await api.delete(`/v1/${type}s/${one.id}`), 202);
    }
    for (let n = 0; n < EACH; n += 1) stop(`${type}.create`);
    for (let n = 0; n < EACH; n += 1) expectStatus(await ask(), 202);
  }
}
