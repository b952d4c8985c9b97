import type { ClusterSpecification } from '../cluster/cluster-events.js';
import type { NodeGroupSpec, WantedFlavor, ZoneSpec } from '../node-group/node-group-spec.js';

/** A node group whose flavor may be given by its name alone: that of a request, until a conductor has answered with the sizes. */
export type WantedNodeGroupSpec = Omit<NodeGroupSpec, 'flavor'> & { readonly flavor: WantedFlavor };
type Defaults = ClusterSpecification['defaults'];
/** The defaults of a cluster, like {@link WantedNodeGroupSpec}. */
export type WantedDefaults = Omit<Defaults, 'flavor'> & { readonly flavor?: WantedFlavor };
/** A cluster, like {@link WantedNodeGroupSpec}. */
export type WantedClusterSpecification = Omit<ClusterSpecification, 'defaults'> & { readonly defaults: WantedDefaults };

/** The attributes of a cluster. A template may leave all of them open. */
export type ClusterAttributes = Partial<WantedClusterSpecification>;
/** The attributes of a node group. A template may leave all of them open. */
export type NodeGroupAttributes = Partial<WantedNodeGroupSpec>;

/** The attributes in a request. null leaves an attribute open, whatever the source says. */
type Open<A> = { readonly [K in keyof A]?: A[K] | null };
type Zones = readonly (string | ZoneSpec)[];
export type NodeGroupAttributesInput = Open<Omit<WantedNodeGroupSpec, 'zones'>> & { readonly zones?: Zones | null };
export type ClusterAttributesInput = Open<Omit<ClusterSpecification, 'defaults'>> & {
  readonly defaults?: (Omit<WantedDefaults, 'zones'> & { readonly zones?: Zones }) | null;
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
  volumes: true,
  zones: true,
  labels: true,
  taints: true,
  conductorGroup: true,
  options: true,
  updateStrategy: true,
  autoscaling: true,
  machineSelector: true,
};

export type NodeGroupAttribute = keyof NodeGroupSpec;

/** The attributes of clusters, in the order in which they are reported. */
export const clusterAttributes = Object.keys(ofCluster) as readonly (keyof ClusterSpecification)[];
/** The attributes of node groups, in the order in which they are reported. */
export const nodeGroupAttributes = Object.keys(ofNodeGroup) as readonly NodeGroupAttribute[];

/** Returns the zone as an object. A request may give only its name. */
export const zoneOf = (zone: string | ZoneSpec): ZoneSpec => (typeof zone === 'string' ? { name: zone } : zone);

/** Returns the attributes among the members of a request. Absent members remain absent. */
export function nodeGroupAttributesOf(input: NodeGroupAttributesInput): Open<WantedNodeGroupSpec> {
  const { zones, ...others } = picked(input, ofNodeGroup);
  return zones === undefined ? others : { ...others, zones: zones && zones.map(zoneOf) };
}

/** Returns the attributes like {@link nodeGroupAttributesOf}. */
export function clusterAttributesOf(input: ClusterAttributesInput): Open<WantedClusterSpecification> {
  const { defaults, ...others } = picked(input, ofCluster);
  return defaults === undefined ? others : { ...others, defaults: defaults && defaultsOf(defaults) };
}

/** Returns the defaults of a cluster for the open attributes of its groups. */
export function defaultsOf({ zones, ...others }: NonNullable<ClusterAttributesInput['defaults']>): WantedDefaults {
  return zones === undefined ? others : { ...others, zones: zones.map(zoneOf) };
}

function picked<T extends object>(input: T, attributes: object): T {
  const members = Object.entries(input).filter(
    ([name, value]) => Object.hasOwn(attributes, name) && value !== undefined,
  );
  return Object.fromEntries(members) as T;
}
