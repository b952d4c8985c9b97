import { createHash } from 'node:crypto';
import { DriverError, type Labels, type NodeSpec, type Unit, type UnitKind } from '@stave/driver-sdk';

/** The labels of all objects that the driver creates. */
export const label = {
  installation: 'stave.installation',
  /** The driver whose object it is; absent where a release before this label created it. */
  driver: 'stave.driver',
  unit: 'stave.unit',
  cluster: 'stave.cluster',
  nodeGroup: 'stave.nodeGroup',
  node: 'stave.node',
  container: 'stave.container',
  network: 'stave.network',
  volume: 'stave.volume',
  generation: 'stave.generation',
  zone: 'stave.zone',
  role: 'stave.role',
  flavor: 'stave.flavor',
  cpus: 'stave.cpus',
  memoryMb: 'stave.memoryMb',
  address: 'stave.address',
  socket: 'stave.socket',
  claimHolder: 'stave.claimHolder',
  machine: 'stave.machine',
  engineUrl: 'stave.engineUrl',
  engineSecret: 'stave.engineSecret',
  engineId: 'stave.engineId',
  before: 'stave.before',
} as const;

/** Returns a hash of 12 hexadecimal digits, which is unique among the objects of one engine. */
export function shortId(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
}

/** Returns the name of a unit. The engine accepts each name only once, so that of concurrent creates only one succeeds. */
export function unitName(installation: string, resourceId: string, generation: number): string {
  return `stave-${shortId(installation, resourceId)}-g${generation}`;
}

export function generationOf(labels: Labels | null): number {
  return Number(labels?.[label.generation] ?? 0);
}

/** Returns the unit of an object with these labels, without its state. */
export function unitOf(kind: UnitKind, infrastructureId: string, labels: Labels | null): Omit<Unit, 'state'> {
  const clusterId = labels?.[label.cluster] ?? '';
  const resourceId = labels?.[label[kind]] ?? '';
  const nodeId = kind === 'network' || kind === 'volume' ? labels?.[label.node] : undefined;
  const unit = { infrastructureId, kind, resourceId, clusterId, generation: generationOf(labels) };
  return nodeId === undefined ? unit : { ...unit, nodeId };
}

/** Returns the objects of this driver. One without the label was created by a release before it, so that it may be one of them. */
export const ofDriver = <T extends { readonly Labels?: Labels | null }>(driver: string, objects: readonly T[]): T[] =>
  objects.filter(({ Labels }) => (Labels?.[label.driver] ?? driver) === driver);

/** Throws `conflict` when `newest`, the highest existing generation of a resource, is above the wanted one. */
export function requireNotSuperseded(resource: string, wanted: number, newest = 0): void {
  if (newest > wanted)
    throw new DriverError('conflict', `${resource} exists with generation ${newest}, which is higher than ${wanted}`);
}

/** Returns labels by their short names, without those that are undefined. */
export function labelled(members: Partial<Record<keyof typeof label, string | number | undefined>>): Labels {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([key, value]) => [`stave.${key}`, String(value)]));
}

/** `driver`: the name in its manifest. */
export function nodeLabels(
  installation: string,
  driver: string,
  { id: node, cluster, flavor, ...spec }: NodeSpec,
): Labels {
  const { generation, role, zone, nodeGroup } = spec;
  const { name = `${flavor.cpus}x${flavor.memoryMb}`, cpus, memoryMb } = flavor;
  const owner = { installation, driver, unit: 'node', cluster: cluster.id, nodeGroup: nodeGroup.id, node };
  return labelled({ ...owner, generation, role, zone, flavor: name, cpus, memoryMb });
}

/** Converts a name into a valid host name of at most 63 characters; returns the default when nothing of the name is left. */
export function hostNameOf(name: string, byDefault: string): string {
  const host = name.replace(/[^a-zA-Z0-9-]+/g, '-').replace(/^-+|-+$/g, '');
  return host.slice(0, 63) || byDefault;
}
