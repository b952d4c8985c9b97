import { Inject, Injectable } from '@nestjs/common';
import { countedMembers, type NodeGroupState } from '@stave/domain';
import type { CallSpecs, RemovalCandidate } from '@stave/driver-sdk';
import type { Logger, Messaging } from '@stave/platform';
import {
  callConductor,
  LOGGER,
  MESSAGING,
  operatingManifest,
  RingFollower,
  type TaskRouting,
} from '@stave/service-kit';
import { FleetProjection } from './fleet.projection.js';

/** A change of a group waits no longer for the advice of its driver. */
const ASK_MS = 2_000;

/** Asks the drivers of groups that have too many nodes which of them go first. */
@Injectable()
export class RemovalOrders {
  constructor(
    private readonly projection: FleetProjection,
    private readonly ring: RingFollower,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Returns the ids of nodes that go first by the driver. Undefined where no node goes, where the driver gives no advice, and where it fails or is
   * late: then the order of the product holds.
   */
  async of(group: NodeGroupState): Promise<readonly string[] | undefined> {
    const { declared, spec, deleting, deleted } = group;
    const cluster = this.projection.clusters.get(declared.clusterId);
    if (!cluster?.built || cluster.paused || !spec || deleting || deleted) return undefined;
    const nodes = countedMembers(group);
    const count = nodes.length - spec.count;
    if (count <= 0) return undefined;
    const { driver, driverVersion: version, conductorGroup } = cluster.spec;
    const routing = { group: spec.conductorGroup ?? conductorGroup, driver, version };
    if (!this.advises(routing)) return undefined;
    const candidates = nodes.map(({ id, ordinal, zone }): RemovalCandidate => {
      const name = `${declared.name}-${ordinal}`;
      return { id, name, ordinal, ...(zone !== undefined && { zone }), labels: spec.labels };
    });
    const { id, name, clusterId } = declared;
    const options = { ...cluster.spec.options, ...spec.options };
    const asked = { clusterId, nodeGroup: { id, name }, options, count, nodes: candidates };
    return this.ask(routing, { ...asked, id, generation: 0 });
  }

  private advises(routing: TaskRouting): boolean {
    const { capabilities } = (operatingManifest(this.ring.view, routing) ?? {}) as { capabilities?: readonly string[] };
    return capabilities?.includes('scale') ?? false;
  }

  private async ask(
    routing: TaskRouting,
    spec: CallSpecs['nodeGroup.removalOrder'],
  ): Promise<readonly string[] | undefined> {
    try {
      const ids = await callConductor(this.ring, this.messaging, {
        resourceId: spec.id,
        description: 'this node group',
        routing,
        call: { kind: 'nodeGroup.removalOrder', spec },
        timeoutMs: ASK_MS,
      });
      if (!Array.isArray(ids)) throw new Error('the order of removal is no list');
      return ids.filter((one): one is string => typeof one === 'string');
    } catch (error) {
      this.log.warn({ err: error, nodeGroup: spec.id }, 'the driver did not say which nodes go first');
      return undefined;
    }
  }
}
