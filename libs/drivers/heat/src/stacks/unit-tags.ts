import { createHash } from 'node:crypto';
import type { Unit } from '@stave/driver-sdk';
import type { Stack } from '@stave/openstack';

/** A cluster or a node, in one generation. */
export interface StackKey {
  readonly kind: 'cluster' | 'node';
  readonly id: string;
  readonly clusterId: string;
  readonly generation: number;
}

export type Tags = Readonly<Record<string, string>>;

const hash = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length);

/** Names and tags of the stacks of one installation. */
export class UnitTags {
  constructor(private readonly installation: string) {}

  /** The tags by which all stacks of the installation, or of one cluster, are listed. */
  selection(clusterId?: string): Tags {
    const ofInstallation = { 'stave.installation': this.installation };
    return clusterId === undefined ? ofInstallation : { ...ofInstallation, 'stave.cluster': clusterId };
  }

  of({ kind, id, clusterId, generation }: StackKey, more: Tags = {}): Tags {
    return {
      ...this.selection(clusterId),
      'stave.unit': kind,
      ...(kind === 'node' && { 'stave.node': id }),
      'stave.generation': String(generation),
      ...more,
    };
  }

  /** The name of a stack follows from its resource and generation, so that Heat accepts it once. */
  nameOf({ kind, id, generation }: StackKey): string {
    return `stave-${hash(`${this.installation} ${kind} ${id}`, 16)}-g${generation}`;
  }

  /** The tag of the installation's servers; those of Nova have at most 60 characters. */
  get serverTag(): string {
    return `stave-${hash(this.installation, 16)}`;
  }
}

/** Returns what a stack belongs to; undefined for one that lacks a tag. */
export function keyOf({ tags }: Pick<Stack, 'tags'>): StackKey | undefined {
  const [kind, clusterId] = [tags['stave.unit'], tags['stave.cluster']];
  const id = kind === 'node' ? tags['stave.node'] : clusterId;
  const generation = Number(tags['stave.generation']);
  if ((kind !== 'cluster' && kind !== 'node') || !clusterId || !id || !Number.isSafeInteger(generation))
    return undefined;
  return { kind, id, clusterId, generation };
}

/** Returns the state of the unit that a stack is. */
export function stateOf({ action, progress }: Pick<Stack, 'action' | 'progress'>): Unit['state'] {
  if (action === 'DELETE') return progress === 'FAILED' ? 'failed' : 'stopped';
  if (action === 'CREATE' && progress === 'IN_PROGRESS') return 'creating';
  return progress === 'FAILED' ? 'failed' : 'running';
}
