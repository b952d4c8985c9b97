import { Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import {
  awaitsRecheck,
  cleanMachine,
  recheckMachine,
  refuseMachine,
  registerMachine,
  releaseMachine,
  replaceMember,
  stableId,
  type MachineState,
  type NodeState,
} from '@stave/domain';
import { operationContext } from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { MachineNames } from './machine-names.js';
import { machineContext } from './machine.tasks.js';

/** How long an engine that did not answer is left alone. */
const RECHECK_MS = 5 * 60_000;
/** How long a drain waits where the node group is busy. */
const BUSY_MS = 1_000;

/** Registers machines whose engines were examined, gives back those whose nodes have ended, and moves nodes away from those that drain. */
@Injectable()
export class MachineReconciler {
  constructor(
    private readonly projection: FleetProjection,
    private readonly names: MachineNames,
  ) {}

  /** Whether there may be something to do that no event of the machine announces. */
  isUnsettled(state: MachineState): boolean {
    const { deleted, registered, probe, claim } = state;
    return deleted || (!registered && probe !== undefined) || claim !== undefined || awaitsRecheck(state);
  }

  /** Resolves to the milliseconds after which time alone may change the decision. */
  async reconcile(id: string): Promise<number | undefined> {
    const { machines } = this.projection;
    const machine = machines.get(id);
    if (!machine) return undefined;
    if (machine.deleted) {
      await this.names.release(machine, machineContext(machine));
      return undefined;
    }
    if (!machine.registered) return this.register(id, machine);
    if (machine.claim && machine.status === 'CLAIMED') return this.followNode(id, machine, machine.claim.nodeId);
    return this.recheck(id, machine);
  }

  /** Registers the machine, unless another one has the same engine. */
  private async register(id: string, machine: MachineState): Promise<undefined> {
    const { machines } = this.projection;
    const { probe } = machine;
    if (!probe) return;
    const operationId = machine.operations[0]?.id;
    const context = machineContext(machine, operationId);
    try {
      await this.names.reserveEngine(id, probe.engineId, context);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.error.code !== 'engine-taken') throw error;
      await machines.settle(id, state => refuseMachine(state, error.error.detail), context);
      return;
    }
    await machines.settle(id, registerMachine, context);
  }

  private async followNode(id: string, machine: MachineState, nodeId: string): Promise<number | undefined> {
    const { machines, nodes } = this.projection;
    const node = nodes.get(nodeId) ?? (await nodes.load(nodeId)).state;
    const context = machineContext(machine);
    const isOn = node?.machineId === id;
    if (!node || (node.deleted && isOn)) await machines.settle(id, state => cleanMachine(state, nodeId), context);
    else if (!isOn && (node.deleted || node.removing || node.machineId !== undefined))
      await machines.settle(id, state => releaseMachine(state, nodeId), context);
    else if (machine.draining && isOn && !node.removing) return this.moveNode(machine, node);
    return undefined;
  }

  /** Has the node group replace the node, which then gets another machine. Resolves to the time of the next attempt while the group is busy. */
  private async moveNode({ declared, operations }: MachineState, node: NodeState): Promise<number | undefined> {
    const { groups } = this.projection;
    const { id: nodeId, nodeGroupId } = node.declared;
    const group = groups.get(nodeGroupId);
    const isMoving = [...(group?.members.values() ?? [])].some(
      m => m.replaces === nodeId || (m.id === nodeId && m.leaving),
    );
    if (!group || isMoving) return undefined;
    const drain = operations.find(({ kind }) => kind === 'machine.drain')?.id ?? '';
    const key = ['machine-drain', declared.id, drain, nodeId] as const;
    const operation = { id: `n-${stableId(...key)}`, kind: 'node.replace', total: 2 };
    const successorId = stableId(...key, 'successor');
    try {
      const context = operationContext(node.declared, operation.id);
      await groups.execute(nodeGroupId, state => replaceMember(state, { nodeId, successorId, operation }), {
        ...context,
        correlationId: drain || declared.id,
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof RefusedError) || error.error.kind !== 'conflict') throw error;
      return BUSY_MS;
    }
  }

  private async recheck(id: string, machine: MachineState): Promise<number | undefined> {
    if (!awaitsRecheck(machine)) return undefined;
    const leftMs = Date.parse(machine.updatedAt) + RECHECK_MS - Date.now();
    if (leftMs > 0) return leftMs + 1;
    await this.projection.machines.settle(id, recheckMachine, machineContext(machine, ''));
    return undefined;
  }
}
