import { evolveNode, initialNode, type NodeEvent, type Work } from '@stave/domain';
import type { ServiceRuntime } from '@stave/platform';
import type { ClusterModels } from '../clusters/cluster-models.js';
import type { ResourcePlace } from './ring-queries.js';

const claimOf = (work: Work): object => (work.claim ? { claim: work.claim } : {});

/** Where the work of any resource belongs, read from its stream when asked. */
export class ResourcePlaces {
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: ClusterModels,
  ) {}

  async of(id: string): Promise<ResourcePlace | undefined> {
    const cluster = await this.models.clusters.load(id);
    if (cluster.state.spec) return this.inCluster(id, undefined, cluster.state.work);
    const events = await this.runtime.options.eventStore.readStream(`node-${id}`);
    const node = events.reduce(
      (state, e) => evolveNode(state, { type: e.type, data: e.data } as NodeEvent, e.metadata.time),
      initialNode,
    );
    return node.declared ? this.inCluster(node.declared.clusterId, node.declared.nodeGroupId, node.work) : undefined;
  }

  private inCluster(clusterId: string, groupId: string | undefined, work: Work): ResourcePlace | undefined {
    const spec = this.models.clusters.get(clusterId)?.spec;
    if (!spec) return undefined;
    const own = groupId === undefined ? null : this.models.conductorGroupOf(groupId);
    return { group: own ?? spec.conductorGroup, driver: spec.driver, version: spec.driverVersion, ...claimOf(work) };
  }
}
