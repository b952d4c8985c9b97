import type { ServiceError } from '@stave/contracts';
import type { ClusterCreated, DomainEvent } from '@stave/domain';
import { ClustersHarness, PROJECT, type Replica } from './clusters.fixture.js';

export const flavor = { cpus: 1, memoryMb: 512 };
export const large = { cpus: 4, memoryMb: 4096 };
export const uuid = (n: number): string => `0198c5a0-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** As an answer to a creation has it. */
export interface Accepted {
  readonly resource: { readonly id: string; readonly name: string };
  readonly operationId: string;
}

/** Appends what others have made before: clusters, groups, templates. */
export class Sources {
  constructor(private readonly world: ClustersHarness) {}

  async groupTemplate(id: number, name: string, attributes: object, more: object = {}): Promise<void> {
    const own = { immutableAttributes: [], locked: {}, clusterTemplateId: null };
    const data = { id: uuid(id), name, projectId: PROJECT, attributes, ...own, ...more };
    await this.world.append(`nodeGroupTemplate-${uuid(id)}`, { type: 'NodeGroupTemplateCreated', data });
  }

  async clusterTemplate(id: number, attributes: object, groups: Readonly<Record<string, object>> = {}): Promise<void> {
    const contents = { immutableAttributes: [], locked: {} };
    const all = Object.entries(groups).map(([name, own], i) => ({
      ...contents,
      id: uuid(id * 100 + i),
      name,
      attributes: own,
    }));
    const data = { ...contents, id: uuid(id), name: `t${id}`, projectId: PROJECT, attributes, groups: all };
    await this.world.append(`clusterTemplate-${uuid(id)}`, { type: 'ClusterTemplateCreated', data });
  }

  async end(stream: string, type: string): Promise<void> {
    await this.world.append(stream, { type, data: {} } as DomainEvent);
  }
}

/** What was appended for it. */
export async function creationOf(world: ClustersHarness, id: string): Promise<ClusterCreated['data']> {
  const [created] = await world.store.readStream(`cluster-${id}`);
  return created?.data as ClusterCreated['data'];
}

export const refusal = async (attempt: Promise<unknown>): Promise<ServiceError | undefined> =>
  attempt.then(
    () => undefined,
    (e: { error: ServiceError }) => e.error,
  );

export const create = (
  world: ClustersHarness,
  replica: Replica,
  body: object,
  idempotencyKey?: string,
): Promise<Accepted> => world.ask(replica, 'create', body, idempotencyKey === undefined ? {} : { idempotencyKey });
