import type { ClusterSpecification } from '../cluster/cluster-events.js';
import type { NodeGroupSpec, ZoneSpec } from '../node-group/node-group-spec.js';

/** What a cluster can be given; a template may leave all of it open. */
export type ClusterAttributes = Partial<ClusterSpecification>;
/** What a node group can be given; a template may leave all of it open. */
export type NodeGroupAttributes = Partial<NodeGroupSpec>;

/** As requests have them: zones by name or with their region; null: open, whatever the source says. */
type Open<A> = { readonly [K in keyof A]?: A[K] | null };
type Zones = readonly (string | ZoneSpec)[];
export type NodeGroupAttributesInput = Open<Omit<NodeGroupSpec, 'zones'>> & { readonly zones?: Zones | null };
export type ClusterAttributesInput = Open<Omit<ClusterSpecification, 'defaults'>> & {
  readonly defaults?: (Omit<ClusterSpecification['defaults'], 'zones'> & { readonly zones?: Zones }) | null;
};

const ofCluster: Readonly<Record<keyof ClusterSpecification, true>> = {
  description: true,
  labels: true,
  driver: true,
  driverVersion: true,
  conductorGroup: true,
  network: true,
  api: true,
  defaults: true,
  options: true,
};
const ofNodeGroup: Readonly<Record<keyof NodeGroupSpec, true>> = {
  role: true,
  count: true,
  minCount: true,
  maxCount: true,
  flavor: true,
  image: true,
  dataVolumeGb: true,
  zones: true,
  labels: true,
  taints: true,
  conductorGroup: true,
  options: true,
  updateStrategy: true,
};

type ClusterAttribute = keyof ClusterSpecification;
export type NodeGroupAttribute = keyof NodeGroupSpec;

/** Whether clusters have an attribute of this name. */
const isClusterAttribute = (name: string): name is ClusterAttribute => Object.hasOwn(ofCluster, name);
/** Whether node groups have an attribute of this name. */
const isNodeGroupAttribute = (name: string): name is NodeGroupAttribute => Object.hasOwn(ofNodeGroup, name);
/** Every attribute of clusters, in the order in which they are reported. */
export const clusterAttributes: readonly ClusterAttribute[] = Object.keys(ofCluster).filter(isClusterAttribute);
/** Every attribute of node groups, in the order in which they are reported. */
export const nodeGroupAttributes: readonly NodeGroupAttribute[] = Object.keys(ofNodeGroup).filter(isNodeGroupAttribute);

/** A zone as it is kept; people may give its name only. */
export const zoneOf = (zone: string | ZoneSpec): ZoneSpec => (typeof zone === 'string' ? { name: zone } : zone);

type Given<A> = { readonly [K in keyof A]?: A[K] | null };

/** The attributes among the members of a request, as they are kept; what it says nothing of is not there. */
export function nodeGroupAttributesOf(input: NodeGroupAttributesInput): Given<NodeGroupSpec> {
  const { zones, ...others } = picked(input, isNodeGroupAttribute);
  return zones === undefined ? others : { ...others, zones: zones && zones.map(zoneOf) };
}

/** The same for a cluster. */
export function clusterAttributesOf(input: ClusterAttributesInput): Given<ClusterSpecification> {
  const { defaults, ...others } = picked(input, isClusterAttribute);
  return defaults === undefined ? others : { ...others, defaults: defaults && defaultsOf(defaults) };
}

/** What groups take where they leave it open, as it is kept. */
export function defaultsOf({
  zones,
  ...others
}: NonNullable<ClusterAttributesInput['defaults']>): ClusterSpecification['defaults'] {
  return zones === undefined ? others : { ...others, zones: zones.map(zoneOf) };
}

function picked<T extends object>(input: T, isAttribute: (name: string) => boolean): T {
  const members = Object.entries(input).filter(([name, value]) => isAttribute(name) && value !== undefined);
  return Object.fromEntries(members) as T;
}
