import { DriverError, type DriverContext } from '@stave/driver-sdk';
import {
  type DockerEngine,
  EngineError,
  type EngineInfo,
  pollUntil,
  type SwarmInspection,
  type SwarmNode,
  type SwarmNodeSpec,
  type SwarmService,
  undefinedOn,
  undefinedOnFailure,
} from '@stave/docker';
import { engineOf, type Inventory, type NodeContainer } from './inventory.js';
import { heartbeatPeriod } from './heartbeat.js';

const queryTimeoutMs = 4_000;
/** A manager whose Swarm has no leader answers `/info` only after its own request to the leader has timed out, after 20 s. */
const leaderlessTimeoutMs = 30_000;
const answerWithinMs = 30_000;
const changeTries = 8;

/** Reads and changes a Swarm by one of its managers. */
export class SwarmManager {
  private readonly engine: DockerEngine;

  constructor(readonly container: NodeContainer) {
    this.engine = engineOf(container);
  }

  nodes(ctx: DriverContext): Promise<readonly SwarmNode[]> {
    return this.engine.read(ctx, '/nodes', { timeoutMs: queryTimeoutMs });
  }

  /** Whether the engine of the manager says that it is in no Swarm any more: its node is removed at the same time. */
  async hasLeft(ctx: DriverContext): Promise<boolean> {
    const info = await undefinedOnFailure(ctx, () => this.engine.info(ctx, queryTimeoutMs));
    return info?.Swarm.LocalNodeState === 'inactive';
  }

  services(ctx: DriverContext): Promise<readonly SwarmService[]> {
    return this.engine.read(ctx, '/services', { query: { status: true }, timeoutMs: queryTimeoutMs });
  }

  node(ctx: DriverContext, swarmNodeId: string): Promise<SwarmNode | undefined> {
    return undefinedOn([404], this.engine.read<SwarmNode>(ctx, `/nodes/${swarmNodeId}`, { timeoutMs: queryTimeoutMs }));
  }

  /** Returns the join tokens, which can be rotated at any time, and stores them as secrets so that the conductor removes them from logs. */
  async tokens(ctx: DriverContext): Promise<SwarmInspection['JoinTokens']> {
    const { JoinTokens } = await this.engine.read<SwarmInspection>(ctx, '/swarm', { timeoutMs: queryTimeoutMs });
    for (const [role, token] of Object.entries(JoinTokens))
      await ctx.secrets.put(`${this.container.clusterId} ${role} join token`, token);
    return JoinTokens;
  }

  /**
   * Changes the specification of a member; sends nothing when it is unchanged. Reads again and repeats when the member was changed in
   * between, as Swarm itself often does after a join.
   */
  async change(ctx: DriverContext, swarmNodeId: string, change: Partial<SwarmNodeSpec>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const node = await this.node(ctx, swarmNodeId);
      if (!node) return;
      const spec = { ...node.Spec, ...change };
      if (JSON.stringify(spec) === JSON.stringify(node.Spec)) return;
      try {
        const query = { version: node.Version.Index };
        await this.engine.change(ctx, 'POST', `/nodes/${swarmNodeId}/update`, { query, body: spec });
        return;
      } catch (error) {
        const conflicted = error instanceof EngineError && /out of sequence/.test(error.message);
        if (!conflicted || attempt >= changeTries) throw error;
      }
    }
  }

  /** Sets the interval of the heartbeats of the Swarm; sends nothing when it has it. Nodes learn it with their next heartbeat. */
  async setHeartbeat(ctx: DriverContext, seconds: number): Promise<void> {
    const { Version, Spec } = await this.engine.read<SwarmInspection>(ctx, '/swarm', { timeoutMs: queryTimeoutMs });
    const HeartbeatPeriod = heartbeatPeriod(seconds);
    if (Spec.Dispatcher.HeartbeatPeriod === HeartbeatPeriod) return;
    const body = { ...Spec, Dispatcher: { ...Spec.Dispatcher, HeartbeatPeriod } };
    await this.engine.change(ctx, 'POST', '/swarm/update', { query: { version: Version.Index }, body });
  }

  /** Removes a member in any state; succeeds when it does not exist. Swarm refuses managers, which must be demoted first. */
  async remove(ctx: DriverContext, swarmNodeId: string): Promise<void> {
    await undefinedOn([404], this.engine.change(ctx, 'DELETE', `/nodes/${swarmNodeId}`, { query: { force: true } }));
  }
}

type SwarmState = EngineInfo['Swarm'];

/** Finds managers, and reads the Swarm membership of nodes from their own engines. */
export class SwarmManagers {
  constructor(private readonly inventory: Inventory) {}

  /** Returns a manager of the cluster other than the given container; undefined when none answers now. */
  async find(ctx: DriverContext, clusterId: string, exceptId?: string): Promise<SwarmManager | undefined> {
    return (await this.lookUp(ctx, clusterId, exceptId)).manager;
  }

  /** As `find`, but throws a transient DriverError when no manager answers. */
  async require(ctx: DriverContext, clusterId: string): Promise<SwarmManager> {
    const manager = await this.find(ctx, clusterId);
    if (!manager) throw new DriverError('transient', `no manager of cluster ${clusterId} answers`);
    return manager;
  }

  /**
   * As `find`, but waits while a manager node runs and does not answer: a change of leader, or load, can delay answers. Throws a
   * transient DriverError when a manager node has not answered within 30 s.
   */
  async findOrWait(ctx: DriverContext, clusterId: string, exceptId: string): Promise<SwarmManager | undefined> {
    const what = `answer of a manager of cluster ${clusterId}`;
    const { manager } = await pollUntil(ctx, { what, withinMs: answerWithinMs }, async () => {
      const found = await this.lookUp(ctx, clusterId, exceptId);
      return found.manager || !found.anyUnresponsive ? found : undefined;
    });
    return manager;
  }

  /**
   * Returns whether a manager of the cluster other than this node may be active, although `find` returned none: a manager that runs may not
   * answer now. A second Swarm must not be initialized in that case.
   */
  async mayHaveManager(ctx: DriverContext, self: NodeContainer): Promise<boolean> {
    const { manager, anyUnresponsive } = await this.lookUp(ctx, self.clusterId, self.containerId);
    return anyUnresponsive || manager !== undefined;
  }

  /** Returns whether the node acts as a manager of its Swarm; false when its engine has not answered within 30 s. */
  async isManager(ctx: DriverContext, node: NodeContainer): Promise<boolean> {
    return (await this.stateOf(ctx, node, leaderlessTimeoutMs))?.ControlAvailable ?? false;
  }

  /**
   * Returns whether the removal of the node's container can cost its Swarm the majority of the managers, although other nodes of the manager
   * group could keep it. False for workers, for nodes that do not run or do not answer, and when the majority is lost already.
   */
  async isNeededForQuorum(ctx: DriverContext, node: NodeContainer): Promise<boolean> {
    if (node.role !== 'manager') return false;
    const running = await this.running(ctx, node.clusterId);
    const states = await Promise.all(running.map(one => this.stateOf(ctx, one, leaderlessTimeoutMs)));
    const own = states[running.findIndex(one => one.containerId === node.containerId)];
    const others = states.filter(state => state !== own && state?.LocalNodeState === 'active');
    const managesItself = own?.ControlAvailable || others.some(state => managerAddresses(state).includes(node.address));
    if (!own || others.length === 0 || !managesItself) return false;
    const quorum = new Set([node.address, ...managerAddresses(own)]);
    const alive = running.filter(one => quorum.has(one.address));
    return !own.Error || alive.length * 2 > quorum.size;
  }

  /** Returns the membership as the node's own engine reports it; undefined when it does not answer in time. */
  async stateOf(ctx: DriverContext, node: NodeContainer, timeoutMs = queryTimeoutMs): Promise<SwarmState | undefined> {
    return (await undefinedOnFailure(ctx, async () => engineOf(node).info(ctx, timeoutMs)))?.Swarm;
  }

  private async lookUp(ctx: DriverContext, clusterId: string, exceptId: string | undefined) {
    const others = (await this.running(ctx, clusterId)).filter(node => node.containerId !== exceptId);
    const states = await Promise.all(others.map(node => this.stateOf(ctx, node)));
    const found = others.find((_, index) => states[index]?.ControlAvailable);
    return { manager: found && new SwarmManager(found), anyUnresponsive: states.includes(undefined) };
  }

  private async running(ctx: DriverContext, clusterId: string): Promise<readonly NodeContainer[]> {
    const nodes = await this.inventory.nodes(ctx, { clusterId, role: 'manager' });
    return nodes.filter(node => node.state === 'running');
  }
}

/** Returns the addresses, without ports, of the managers that a node knows of. */
function managerAddresses(state: SwarmState | undefined): readonly string[] {
  return (state?.RemoteManagers ?? []).map(({ Addr }) => Addr.replace(/:\d+$/, ''));
}
