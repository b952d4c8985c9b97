import { RefusedError } from '@stave/contracts';
import { decideClaim, nodeEvictionReason, nodeStream, reportNodeTask, type NodeState } from '@stave/domain';
import { doneOf } from '@stave/domain/testing';
import { EmbeddedEventStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { ResourceModel, type ServicePorts } from '@stave/service-kit';
import {
  clusterCreated,
  conductorJoined,
  groupSpec,
  PROJECT,
  ServiceHarness,
  SESSION,
  taskDone,
  type HarnessOptions,
} from '@stave/service-kit/testing';
import { v7 as uuidv7 } from 'uuid';
import { createNodeGroupService } from './app.module.js';

const AT = '2026-01-01T00:00:00.000Z';

/** nodegroup-service, with clusters that the test creates and a conductor that completes every task. */
export class NodeGroupHarness extends ServiceHarness {
  static async open(
    manifest: Readonly<Record<string, unknown>> = {},
    ports: Pick<ServicePorts, 'worksFrom' | 'newerEvents' | 'onFatal'> = {},
  ): Promise<NodeGroupHarness> {
    const store = await EmbeddedEventStore.open({ memory: true });
    const start: HarnessOptions['start'] = given => createNodeGroupService({ ...given, ...ports });
    const harness = new NodeGroupHarness(store, { service: 'nodegroup-service', start });
    await harness.append('conductorRing', conductorJoined(manifest));
    return harness;
  }

  /** Creates a cluster with these node groups: counts by name. A group named `managers` has managers. */
  async cluster(groups: Readonly<Record<string, number>>, built = true): Promise<{ id: string; groupIds: string[] }> {
    const id = uuidv7();
    const roleOf = (name: string): string => (name === 'managers' ? 'manager' : 'worker');
    const declared = Object.entries(groups).map(([name, count]) => {
      return { id: uuidv7(), name, spec: { ...groupSpec(count), role: roleOf(name) } };
    });
    await this.append(`cluster-${id}`, clusterCreated({ id, groups: declared }));
    if (built) await this.append(`cluster-${id}`, ...taskDone(id, 'cluster.create'));
    return { id, groupIds: declared.map(group => group.id) };
  }

  async deleteCluster(id: string): Promise<void> {
    const operation = { id: `c-${uuidv7()}`, kind: 'cluster.delete', total: 1 };
    await this.append(`cluster-${id}`, { type: 'ClusterDeletionRequested', data: { operation } });
  }

  /** Returns the ids of all nodes, oldest first. */
  async nodeIds(): Promise<readonly string[]> {
    return (await this.all('NodeDeclared')).map(({ stream }) => stream.slice('node-'.length));
  }

  /** Completes the evictions and the tasks of all nodes, once. */
  async workOnce(): Promise<void> {
    const nodes = new ResourceModel<NodeState>(nodeStream, this.store);
    for (const id of await this.nodeIds()) {
      const { state } = await nodes.loadExisting(id);
      if (nodeEvictionReason(state) !== undefined) await this.evict(state.declared.clusterId, id, state.revision);
      if (state.work.wanted && !state.deleted) await complete(nodes, id, state.work.wanted.taskId);
    }
  }

  /** Works until the check is true. A task may be withdrawn between its claim and its report. */
  workUntil(check: () => Promise<boolean>, what: string): Promise<true> {
    return eventually(async () => {
      await this.workOnce().catch((error: unknown) => {
        if (!(error instanceof RefusedError)) throw error;
      });
      return check();
    }, what);
  }

  private async evict(clusterId: string, nodeId: string, nodeRevision: number): Promise<void> {
    const stream = `placement-${clusterId}`;
    const data = { nodeId, nodeRevision };
    const known = await this.events(stream, 'NodeEvictionCompleted');
    if (known.some(e => JSON.stringify(e.data) === JSON.stringify(data))) return;
    await this.append(stream, { type: 'NodeEvictionCompleted', data });
  }
}

async function complete(nodes: ResourceModel<NodeState>, id: string, taskId: string): Promise<void> {
  const context = { correlationId: 'work', actor: 'test', project: PROJECT };
  const holder = { taskId, conductor: 'one', session: SESSION };
  const claim = { ...holder, epoch: 0, now: AT, isLive: () => true };
  const { state } = await nodes.execute(id, s => decideClaim(claim, s.work), context);
  const outcome = doneOf(state.work.wanted?.kind ?? 'node.create');
  const report = { ...holder, attempt: state.work.claim?.attempt ?? 0, outcome };
  await nodes.execute(id, s => reportNodeTask(report, s), context);
}
