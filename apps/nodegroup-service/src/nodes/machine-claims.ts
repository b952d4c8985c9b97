import { Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import {
  assignMachine,
  awaitsMachine,
  isHeld,
  claimMachine,
  lackMachine,
  manifestOf,
  omitUndefined,
  operationOfWork,
  retryDelayMs,
  suitableMachines,
  type ClusterState,
  type MachineClaim,
  type MachineNeed,
  type MachineState,
  type NodeState,
} from '@stave/domain';
import { operationContext, RingFollower } from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { schemesOf } from '../machines/machine-drivers.js';
import { machineContext } from '../machines/machine.tasks.js';

/** Claims machines for nodes: first in the stream of the machine, which one node gets only, then the node learns of it. */
@Injectable()
export class MachineClaims {
  constructor(
    private readonly projection: FleetProjection,
    private readonly ring: RingFollower,
  ) {}

  /** Resolves to the milliseconds after which the next look is due; undefined where only an event changes it. */
  async claimFor(nodeId: string): Promise<number | undefined> {
    const { nodes, clusters, machines, machinePool } = this.projection;
    const node = nodes.get(nodeId);
    const cluster = node && clusters.get(node.declared.clusterId);
    if (!node || !cluster?.built || isHeld(cluster) || !awaitsMachine(node)) return undefined;
    const known = machinePool.claimedFor(nodeId);
    const machine = (known === undefined ? undefined : machines.get(known)) ?? (await this.claim(node, cluster));
    if (!machine) return this.noMachine(node);
    const { declared, zone, region } = machine;
    const assigned = { machineId: declared.id, zone, region };
    await nodes.settle(nodeId, state => assignMachine(state, assigned), contextOf);
    return undefined;
  }

  /** Claims the first suitable machine that no other node gets meanwhile. */
  private async claim(node: NodeState, cluster: ClusterState): Promise<MachineState | undefined> {
    const { machines, machinePool } = this.projection;
    const need = this.needOf(node, cluster);
    const offered = [...machinePool.offered(need)].flatMap(id => machines.get(id) ?? []);
    const { id: nodeId, nodeGroupId, clusterId } = node.declared;
    const { driver, driverVersion } = cluster.spec;
    const claim: MachineClaim = { nodeId, nodeGroupId, clusterId, driver, driverVersion };
    for (const candidate of suitableMachines(offered, need)) {
      try {
        const context = machineContext(candidate);
        return (await machines.execute(candidate.declared.id, state => claimMachine(state, claim), context)).state;
      } catch (error) {
        if (!(error instanceof RefusedError) || error.error.code !== 'machine-not-available') throw error;
      }
    }
    return undefined;
  }

  private needOf({ declared }: NodeState, { spec: cluster }: ClusterState): MachineNeed {
    const { machineSelector: selector = {}, zone, region, spec, nodeGroupId } = declared;
    const conductorGroup = this.projection.groups.get(nodeGroupId)?.spec.conductorGroup ?? cluster.conductorGroup;
    const { view } = this.ring;
    const version = view.newestOffered(conductorGroup, cluster.driver, cluster.driverVersion);
    const schemes = version === undefined ? [] : schemesOf(manifestOf(view, cluster.driver, version));
    return { selector, flavor: spec.flavor, conductorGroup, schemes, ...omitUndefined({ zone, region }) };
  }

  /** Notes once for each look that is due that there was none. */
  private async noMachine({ declared, work }: NodeState): Promise<number | undefined> {
    if (work.wanted?.retriesExhausted) return undefined;
    const now = Date.now();
    const waitMs = work.wanted?.notBefore === undefined ? 0 : Date.parse(work.wanted.notBefore) - now;
    if (waitMs > 0) return waitMs;
    const delayMs = retryDelayMs('capacity', (work.wanted?.failures ?? 0) + 1, Math.random());
    const { cpus, memoryMb } = declared.spec.flavor;
    const place = declared.zone === undefined ? '' : ` in zone ${declared.zone}`;
    const reason = `no machine is available${place} that has the labels of machineSelector, ${cpus} CPUs and ${memoryMb} MiB`;
    const retryAt = delayMs === undefined ? undefined : new Date(now + delayMs).toISOString();
    await this.projection.nodes.settle(declared.id, state => lackMachine(state, { reason, retryAt }), contextOf);
    return delayMs;
  }
}

const contextOf = ({ declared, work }: NodeState) => operationContext(declared, operationOfWork(work));
