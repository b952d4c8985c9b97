import type { ServiceError } from '@stave/contracts';
import type { ClusterCreated, DomainEvent } from '@stave/domain';
import { ClustersHarness, PROJECT, type Replica } from './clusters.fixture.js';

export const flavor = { cpus: 1, memoryMb: 512 };
export const large = { cpus: 4, memoryMb: 4096 };
export const uuid = (n: number): string => `0198c5a0-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** The part of the answer to a creation that tests read. */
export interface Accepted {
  readonly resource: { readonly id: string; readonly name: string };
  readonly operationId: string;
}

/** Appends the events of sources: clusters, groups, templates. */
export class Sources {
  constructor(private readonly harness: ClustersHarness) {}

  async groupTemplate(id: number, name: string, attributes: object, more: object = {}): Promise<void> {
    const own = { immutableAttributes: [], locked: {}, clusterTemplateId: null };
    const data = { id: uuid(id), name, projectId: PROJECT, attributes, ...own, ...more };
    await this.harness.append(`nodeGroupTemplate-${uuid(id)}`, { type: 'NodeGroupTemplateCreated', data });
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
    await this.harness.append(`clusterTemplate-${uuid(id)}`, { type: 'ClusterTemplateCreated', data });
  }

  async end(stream: string, type: string): Promise<void> {
    await this.harness.append(stream, { type, data: {} } as DomainEvent);
  }
}

/** Resolves to the event that created the cluster. */
export async function creationOf(harness: ClustersHarness, id: string): Promise<ClusterCreated['data']> {
  const [created] = await harness.store.readStream(`cluster-${id}`);
  return created?.data as ClusterCreated['data'];
}

export const refusal = async (attempt: Promise<unknown>): Promise<ServiceError | undefined> =>
  attempt.then(
    () => undefined,
    (e: { error: ServiceError }) => e.error,
  );

export const create = (
  harness: ClustersHarness,
  replica: Replica,
  body: object,
  idempotencyKey?: string,
): Promise<Accepted> => harness.ask(replica, 'create', body, idempotencyKey === undefined ? {} : { idempotencyKey });
