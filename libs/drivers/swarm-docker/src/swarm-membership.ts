import type { DriverContext, NodeSpec } from '@stave/driver-sdk';
import {
  type KeyedLock,
  label,
  type PollOptions,
  pollUntil,
  type SwarmNodeSpec,
  undefinedOnFailure,
} from '@stave/docker';
import { memberLabels } from './member-labels.js';
import type { SwarmInitClaim } from './swarm-init-claim.js';
import type { Inventory, NodeContainer } from './inventory.js';
import { SwarmManager, type SwarmManagers } from './swarm-manager.js';
import { initSwarm, joinSwarm, leaveSwarm, swarmState } from './swarm-member.js';
import { balanceQuorum } from './swarm-quorum.js';
import { heartbeatSecondsOf } from './heartbeat.js';

const managerWithinMs = 60_000;

/** The labels of a node's container that its member of the Swarm has, too. */
const copiedLabels: readonly string[] = [label.node, label.nodeGroup, label.role, label.generation, label.zone];

/** Makes nodes members of their cluster's Swarm. Every step can be repeated, because it starts from the state of the node's engine. */
export class SwarmMembership {
  constructor(
    private readonly inventory: Inventory,
    private readonly managers: SwarmManagers,
    private readonly claim: SwarmInitClaim,
    private readonly lock: KeyedLock,
  ) {}

  /** Initializes or joins the Swarm, waits until the node is ready there, and labels it. */
  async ensure(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<void> {
    const manager = await this.joinOrInit(ctx, spec, node);
    const swarmNodeId = (await swarmState(ctx, node)).NodeID;
    ctx.progress('label node');
    const what = `wait for node ${node.nodeId} to be ready in the Swarm`;
    await pollUntil(ctx, this.waiting(ctx, node, what), async () => {
      const seen = await manager.node(ctx, swarmNodeId);
      return seen?.Status.State === 'ready' ? true : undefined;
    });
    await manager.change(ctx, swarmNodeId, { Labels: memberLabels(spec) });
    if (spec.role === 'manager') await this.lock.run(node.clusterId, () => balanceQuorum(ctx, manager));
  }

  /**
   * Changes a member in place: its labels, or its availability, of which `drain` moves its Swarm tasks to other nodes. Throws a transient
   * DriverError when no manager answers.
   */
  async change(ctx: DriverContext, node: NodeContainer, change: Partial<SwarmNodeSpec>): Promise<void> {
    const manager = await this.managers.require(ctx, node.clusterId);
    await manager.change(ctx, (await swarmState(ctx, node)).NodeID, change);
  }

  private joinOrInit(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<SwarmManager> {
    ctx.progress(spec.role === 'manager' ? 'join or initialize the Swarm' : 'wait for a manager');
    const what = `wait of node ${node.nodeId} for a manager of cluster ${node.clusterId}`;
    return pollUntil(ctx, { ...this.waiting(ctx, node, what), everyMs: 300 }, () => this.tryJoin(ctx, spec, node));
  }

  private waiting(ctx: DriverContext, node: NodeContainer, what: string): PollOptions {
    const requirePossible = (): Promise<void> => this.inventory.requireRunning(ctx, node);
    return { what, withinMs: managerWithinMs, requirePossible };
  }

  /** Reads the current state and takes one step; returns undefined while there is no manager to join. */
  private async tryJoin(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<SwarmManager | undefined> {
    const own = await swarmState(ctx, node);
    if (own.ControlAvailable) return new SwarmManager(node);
    const manager = await this.managers.find(ctx, node.clusterId, node.containerId);
    if (!manager) return this.tryInit(ctx, spec, node, own.LocalNodeState);
    if (own.LocalNodeState === 'active' && (await manager.node(ctx, own.NodeID))) return manager;
    if (own.LocalNodeState !== 'inactive') await leaveSwarm(ctx, node);
    await joinSwarm(ctx, node, manager);
    return manager;
  }

  private async tryInit(
    ctx: DriverContext,
    spec: NodeSpec,
    node: NodeContainer,
    state: string,
  ): Promise<SwarmManager | undefined> {
    if (spec.role !== 'manager' || (await this.managers.mayHaveManager(ctx, node))) return undefined;
    if (!(await this.claim.isHolder(ctx, node))) return undefined;
    if (state !== 'inactive') await leaveSwarm(ctx, node);
    await initSwarm(ctx, node, heartbeatSecondsOf(spec.cluster));
    const manager = new SwarmManager(node);
    await this.rejoinNodes(ctx, manager);
    return manager;
  }

  /**
   * Joins the running nodes of the cluster, whose Swarm was lost with its last manager, to the Swarm that the manager has just initialized.
   * A node that fails is only logged: it joins with its next operation. The users' own labels return with the next update of the node.
   */
  private async rejoinNodes(ctx: DriverContext, manager: SwarmManager): Promise<void> {
    const { clusterId, containerId } = manager.container;
    const nodes = await this.inventory.nodes(ctx, { clusterId });
    const others = nodes.filter(node => node.state === 'running' && node.containerId !== containerId);
    if (others.length === 0) return;
    const known = new Set((await manager.nodes(ctx)).map(member => member.ID));
    const message = 'a node could not join the new Swarm of its cluster';
    const rejoin = async (node: NodeContainer): Promise<void> => {
      const state = await this.managers.stateOf(ctx, node);
      if (state?.LocalNodeState !== 'active' || state.ControlAvailable || known.has(state.NodeID)) return;
      await undefinedOnFailure(ctx, () => this.moveTo(ctx, manager, node), { nodeId: node.nodeId, message });
    };
    await Promise.all(others.map(rejoin));
  }

  private async moveTo(ctx: DriverContext, manager: SwarmManager, node: NodeContainer): Promise<void> {
    await leaveSwarm(ctx, node);
    await joinSwarm(ctx, node, manager);
    const { NodeID } = await swarmState(ctx, node);
    const Labels = Object.fromEntries(Object.entries(node.labels).filter(([key]) => copiedLabels.includes(key)));
    await manager.change(ctx, NodeID, { Labels });
  }
}
