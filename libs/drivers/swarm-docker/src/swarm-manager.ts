import type { DriverContext } from '@stave/driver-sdk';
import { EngineClient } from './engine-client.js';
import { EngineError, unless } from './engine-error.js';
import type { EngineInfo, SwarmInspection, SwarmNode, SwarmNodeSpec } from './engine-types.js';
import type { Inventory, NodeContainer } from './inventory.js';

const askTimeoutMs = 4_000;
const changeTries = 8;

/** A Swarm through one of its managers. */
export class SwarmManager {
  private readonly engine: EngineClient;

  constructor(readonly container: NodeContainer) {
    this.engine = new EngineClient(container.socket);
  }

  nodes(ctx: DriverContext): Promise<readonly SwarmNode[]> {
    return this.engine.read(ctx, '/nodes', { timeoutMs: askTimeoutMs });
  }

  /** Undefined when the Swarm does not know it. */
  node(ctx: DriverContext, swarmNodeId: string): Promise<SwarmNode | undefined> {
    return unless([404], this.engine.read<SwarmNode>(ctx, `/nodes/${swarmNodeId}`, { timeoutMs: askTimeoutMs }));
  }

  async joinToken(ctx: DriverContext): Promise<string> {
    return (await this.tokens(ctx)).Worker;
  }

  /** Asked of the Swarm each time, for they can be rotated; put into the store too, so that the conductor never tells them. */
  async tokens(ctx: DriverContext): Promise<SwarmInspection['JoinTokens']> {
    const { JoinTokens } = await this.engine.read<SwarmInspection>(ctx, '/swarm', { timeoutMs: askTimeoutMs });
    for (const [role, token] of Object.entries(JoinTokens))
      await ctx.secrets.put(`${this.container.clusterId} ${role} join token`, token);
    return JoinTokens;
  }

  /**
   * Changes a member's specification. Swarm refuses a change of what somebody else changed in between, and changes members
   * often by itself just after they join: read again and repeat. Nothing is sent when nothing would change.
   */
  async change(ctx: DriverContext, swarmNodeId: string, edit: (spec: SwarmNodeSpec) => SwarmNodeSpec): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const node = await this.node(ctx, swarmNodeId);
      if (!node) return;
      const spec = edit(node.Spec);
      if (JSON.stringify(spec) === JSON.stringify(node.Spec)) return;
      try {
        const query = { version: node.Version.Index };
        await this.engine.change(ctx, 'POST', `/nodes/${swarmNodeId}/update`, { query, body: spec });
        return;
      } catch (error) {
        const raced = error instanceof EngineError && /out of sequence/.test(error.message);
        if (!raced || attempt >= changeTries) throw error;
      }
    }
  }

  /** Whatever state the member is in; Swarm refuses managers, which must be demoted first. Gone is success. */
  async forget(ctx: DriverContext, swarmNodeId: string): Promise<void> {
    await unless([404], this.engine.change(ctx, 'DELETE', `/nodes/${swarmNodeId}`, { query: { force: true } }));
  }
}

/** Finds a manager that answers. */
export class SwarmManagers {
  constructor(private readonly inventory: Inventory) {}

  /** Of a cluster, other than the given container; undefined when none answers. */
  async find(ctx: DriverContext, clusterId: string, exceptContainerId?: string): Promise<SwarmManager | undefined> {
    const candidates = await this.inventory.nodes(ctx, { clusterId, role: 'manager' });
    const others = candidates.filter(node => node.state === 'running' && node.containerId !== exceptContainerId);
    const states = await Promise.all(others.map(node => this.stateOf(ctx, node)));
    const found = others.find((_, index) => states[index]?.ControlAvailable);
    return found && new SwarmManager(found);
  }

  /**
   * Whether some manager of the cluster, other than this node, may be at work though none was found: one that runs and does not
   * answer now. A second Swarm must not be founded meanwhile.
   */
  async anyInDoubt(ctx: DriverContext, self: NodeContainer): Promise<boolean> {
    const all = await this.inventory.nodes(ctx, { clusterId: self.clusterId, role: 'manager' });
    const others = all.filter(node => node.state === 'running' && node.containerId !== self.containerId);
    const states = await Promise.all(others.map(node => this.stateOf(ctx, node)));
    return states.some(state => state === undefined || state.ControlAvailable);
  }

  /** Whether the node's engine answers and acts as a manager of its Swarm. */
  async isManager(ctx: DriverContext, node: NodeContainer): Promise<boolean> {
    return (await this.stateOf(ctx, node))?.ControlAvailable ?? false;
  }

  /** What the node's own engine says of its membership; undefined when it does not answer. */
  async stateOf(ctx: DriverContext, node: NodeContainer): Promise<EngineInfo['Swarm'] | undefined> {
    try {
      return (await new EngineClient(node.socket).read<EngineInfo>(ctx, '/info', { timeoutMs: askTimeoutMs })).Swarm;
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof EngineError)) throw error;
      return undefined;
    }
  }
}
