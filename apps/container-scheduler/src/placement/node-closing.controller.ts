import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type ServiceRequest } from '@stave/contracts';
import { accept, boundTo, closeForRemoval, type NodesToClose } from '@stave/domain';
import { operationContext, serviceActor } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

interface Closing {
  readonly clusterId: string;
  /** The stream in which the removal or rebuild is appended next. */
  readonly stream: string;
  /** The revision of its last event. */
  readonly after: number;
  readonly reason: string;
  readonly nodeIds: readonly string[];
  /** The nodes whose data may be discarded. */
  readonly discarded: readonly string[];
}

/** What nodegroup-service asks before it appends that nodes are removed or rebuilt. */
@Controller()
export class NodeClosingController {
  constructor(private readonly projection: SchedulerProjection) {}

  /** Closes the nodes in the ledger. Throws RefusedError `holds-volumes` where one has data that is to be retained. Idempotent. */
  @MessagePattern(commandSubject('container-scheduler', 'volume', 'close-nodes'))
  async close({ meta, body }: ServiceRequest<Closing>): Promise<object> {
    const detail = 'only services of the product close nodes in the ledger';
    if (meta.actor.project !== null) throw new RefusedError({ code: 'forbidden', kind: 'forbidden', detail });
    const { clusterId, stream, after, reason, nodeIds } = body;
    const { placement, clusters } = this.projection;
    // a refusal, or a repeat that changes nothing, is not confirmed by an append
    await placement.refresh(clusterId);
    await this.learnPolicies(clusterId, nodeIds);
    const request: NodesToClose = {
      nodeIds,
      reason,
      awaits: { stream, after, at: new Date().toISOString() },
      discarded: new Set(body.discarded),
      retained: id => this.retained(id),
    };
    const projectId = clusters.get(clusterId)?.created.projectId ?? '';
    // it is no event of the request, whose plan shows what is changed for it, and may meet another writer first
    const context = {
      ...operationContext({ id: clusterId, projectId, clusterId }),
      actor: serviceActor(meta.actor.keyId),
    };
    await placement.append(
      clusterId,
      ({ ledger, containersRemoved }) => (containersRemoved ? accept() : closeForRemoval(ledger, request)),
      context,
    );
    return {};
  }

  /** Reads the volumes on the nodes, since what becomes of their data can be changed at any time. The cost is that of these volumes. */
  private async learnPolicies(clusterId: string, nodeIds: readonly string[]): Promise<void> {
    const ids = boundTo(this.projection.placement.get(clusterId).ledger, nodeIds);
    await Promise.all(ids.map(id => this.projection.volumes.load(id)));
  }

  /** A volume that is not known yet is one to be retained. */
  private retained(id: string): string | undefined {
    const volume = this.projection.volumes.get(id);
    if (!volume) return id;
    return volume.reclaimPolicy === 'retain' && !volume.deleted ? volume.declared.name : undefined;
  }
}
