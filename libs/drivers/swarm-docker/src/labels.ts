import { createHash } from 'node:crypto';
import type { ClusterSpec, NodeSpec } from '@stave/driver-sdk';

/** The labels of all objects that the driver creates. */
export const label = {
  installation: 'stave.installation',
  unit: 'stave.unit',
  cluster: 'stave.cluster',
  nodeGroup: 'stave.nodeGroup',
  node: 'stave.node',
  container: 'stave.container',
  generation: 'stave.generation',
  zone: 'stave.zone',
  role: 'stave.role',
  flavor: 'stave.flavor',
  cpus: 'stave.cpus',
  memoryMb: 'stave.memoryMb',
  address: 'stave.address',
  socket: 'stave.socket',
  claimHolder: 'stave.claimHolder',
} as const;

/** Returns a hash of 12 hexadecimal digits, which is unique among the objects of one engine. */
export function shortId(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
}

/** Returns the name of a unit. The engine accepts each name only once, so that of concurrent creates only one succeeds. */
export function unitName(installation: string, resourceId: string, generation: number): string {
  return `stave-${shortId(installation, resourceId)}-g${generation}`;
}

export function generationOf(labels: Readonly<Record<string, string>> | null): number {
  return Number(labels?.[label.generation] ?? 0);
}

export function clusterLabels(installation: string, spec: ClusterSpec): Record<string, string> {
  return {
    [label.installation]: installation,
    [label.unit]: 'cluster',
    [label.cluster]: spec.id,
    [label.generation]: String(spec.generation),
  };
}

export function nodeLabels(installation: string, spec: NodeSpec): Record<string, string> {
  return {
    [label.installation]: installation,
    [label.unit]: 'node',
    [label.cluster]: spec.cluster.id,
    [label.nodeGroup]: spec.nodeGroup.id,
    [label.node]: spec.id,
    [label.generation]: String(spec.generation),
    [label.role]: spec.role,
    [label.flavor]: spec.flavor.name ?? `${spec.flavor.cpus}x${spec.flavor.memoryMb}`,
    [label.cpus]: String(spec.flavor.cpus),
    [label.memoryMb]: String(spec.flavor.memoryMb),
    ...(spec.zone !== undefined && { [label.zone]: spec.zone }),
  };
}
