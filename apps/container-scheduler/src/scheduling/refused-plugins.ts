import type { ContainerState, NodeState } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';
import type { SnapshotChanges } from './snapshot-changes.js';

/** Milliseconds for which nothing that needs a plug-in is placed on a node that lacked it. */
const REMEMBERED_MS = 600_000;

interface Refusal {
  readonly nodeId: string;
  readonly plugin: string;
  readonly untilMs: number;
}

/**
 * The plug-ins that nodes lacked when a container was to run there, for ten minutes after the event that says so. Nodes are noted as changed
 * when they begin or cease to be passed over.
 */
export class RefusedPlugins {
  /** By node and plug-in, the latest at the end. */
  private readonly refusals = new Map<string, Refusal>();
  private readonly byNode = new Map<string, readonly string[]>();
  readonly folded = { refusals: this.refusals, byNode: this.byNode };
  readonly unfolded = ['nodes', 'changes'];

  constructor(
    private readonly nodes: { readonly get: (id: string) => Pick<NodeState, 'declared'> | undefined },
    private readonly changes: Pick<SnapshotChanges, 'in'>,
  ) {}

  /** Takes an event of a container; `nodeId` is the node that it was on. */
  apply({ type, data, metadata }: RecordedEvent, { nodeId }: Pick<ContainerState, 'nodeId'>): void {
    if (type !== 'TaskFailed' || nodeId === undefined) return;
    const { code, plugin }: { readonly code?: string; readonly plugin?: string } = Object(data);
    if (code !== 'plugin-missing' || plugin === undefined) return;
    this.remove(nodeId, plugin);
    const untilMs = Date.parse(metadata.time) + REMEMBERED_MS;
    this.refusals.set(keyOf(nodeId, plugin), { nodeId, plugin, untilMs });
    this.byNode.set(nodeId, [...(this.byNode.get(nodeId) ?? []), plugin]);
    this.note(nodeId);
  }

  /** Forgets what is too long ago. The cost is that of what is forgotten. */
  expire(nowMs: number): void {
    for (const { nodeId, plugin, untilMs } of this.refusals.values()) {
      if (untilMs > nowMs) return;
      this.remove(nodeId, plugin);
      this.note(nodeId);
    }
  }

  /** Returns the plug-ins that the node lacked; undefined for none. */
  on(nodeId: string): readonly string[] | undefined {
    return this.byNode.get(nodeId);
  }

  forget(nodeId: string): void {
    for (const plugin of this.byNode.get(nodeId) ?? []) this.remove(nodeId, plugin);
  }

  private remove(nodeId: string, plugin: string): void {
    this.refusals.delete(keyOf(nodeId, plugin));
    const others = this.byNode.get(nodeId)?.filter(name => name !== plugin) ?? [];
    if (others.length > 0) this.byNode.set(nodeId, others);
    else this.byNode.delete(nodeId);
  }

  private note(nodeId: string): void {
    this.changes.in(this.nodes.get(nodeId)?.declared.clusterId ?? '')?.node(nodeId);
  }
}

const keyOf = (nodeId: string, plugin: string): string => `${nodeId} ${plugin}`;
