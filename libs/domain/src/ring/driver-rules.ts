import { isDeepStrictEqual } from 'node:util';
import type { DriverRestrictions } from '@stave/driver-sdk';
import type { ClusterAttributes, NodeGroupAttributes } from '../attribute-resolution/attributes.js';
import type { Problem, Refusal } from '../kernel/decider.js';
import { escaped } from '../kernel/json.js';
import type { DriverManifest } from './driver-offer.js';
import { foldGroup } from './ring-key.js';
import type { RingView } from './ring-view.js';

/** The members of an attribute that only a driver can honour, each by its pointer within the attribute and its name in the manifest. */
type Members = readonly (readonly [pointer: string, name: string])[];

const ofGroups = {
  flavor: [['/diskGb', 'flavor.diskGb']],
  image: [['', 'image']],
  dataVolumeGb: [['', 'dataVolumeGb']],
  volumes: [['', 'volumes']],
  machineSelector: [['', 'machines']],
} satisfies Readonly<Record<string, Members>>;

const ofClusters = {
  network: [
    ['/driver', 'network.driver'],
    ['/cidr', 'network.cidr'],
    ['/options', 'network.options'],
  ],
  api: [['/port', 'api.port']],
  defaults: Object.entries(ofGroups).flatMap(([attribute, members]) =>
    members.map(([pointer, name]): Members[number] => [`/${attribute}${pointer}`, name]),
  ),
} satisfies Readonly<Record<string, Members>>;

/** The attributes of a cluster that depend on its driver. */
export const drivenClusterAttributes = Object.keys(ofClusters) as readonly (keyof typeof ofClusters)[];
/** The attributes of a node group that depend on its driver. */
export const drivenGroupAttributes = Object.keys(ofGroups) as readonly (keyof typeof ofGroups)[];
/** Those that a patch can change. */
export const drivenGroupChanges = [
  'flavor',
  'image',
  'dataVolumeGb',
  'volumes',
] as const satisfies (keyof typeof ofGroups)[];

/** Returns what the driver does not honour or allow in an attribute of a cluster, with pointers within the attribute. */
export const clusterAttributeProblems = <K extends keyof typeof ofClusters>(
  manifest: DriverManifest,
  attribute: K,
  value: ClusterAttributes[K] | null,
): readonly Problem[] => problemsIn(manifest, ofClusters[attribute], value);

/** Returns what the driver does not honour or allow in an attribute of a node group, with pointers within the attribute. */
export const groupAttributeProblems = <K extends keyof typeof ofGroups>(
  manifest: DriverManifest,
  attribute: K,
  value: NodeGroupAttributes[K] | null,
): readonly Problem[] => problemsIn(manifest, ofGroups[attribute], value);

function problemsIn(manifest: DriverManifest, members: Members, value: unknown): readonly Problem[] {
  return members.flatMap(([pointer, name]) => {
    const given = at(value, pointer);
    if (given === undefined || given === null || (Array.isArray(given) && given.length === 0)) return [];
    if (!honours(manifest, name)) {
      const detail = `driver ${String(manifest['name'])} does not support ${name}`;
      return [{ pointer, code: 'unsupported', detail }];
    }
    return name === 'image' ? imageProblems(manifest, String(given), pointer) : [];
  });
}

const at = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, member) => (inner as Readonly<Record<string, unknown>> | undefined)?.[member], value);

/**
 * Returns the attributes that change although the driver cannot change them while the cluster has nodes (`fixedAttributes`), with pointers
 * into the cluster. Nothing is known about a driver that no conductor offers now.
 */
export function fixedAttributeProblems(
  manifest: DriverManifest,
  before: Pick<ClusterAttributes, 'network' | 'api'>,
  next: Pick<ClusterAttributes, 'network' | 'api'>,
): readonly Problem[] {
  const { fixedAttributes = [] } = manifest as { readonly fixedAttributes?: readonly string[] };
  const changed = (['network', 'api'] as const).flatMap(attribute =>
    ofClusters[attribute]
      .filter(([pointer]) => !isDeepStrictEqual(at(before[attribute], pointer), at(next[attribute], pointer)))
      .map(([pointer, name]) => ({ pointer: `/${attribute}${pointer}`, name })),
  );
  return changed
    .filter(({ name }) => fixedAttributes.includes(name))
    .map(({ pointer, name }) => {
      const detail = `driver ${String(manifest['name'])} cannot change ${name} while the cluster has nodes`;
      return { pointer, code: 'unsupported', detail };
    });
}

/**
 * Returns the problem of a node group on machines in a cluster with others, or the reverse, where the driver cannot have both (`mixedMachines`
 * in its manifest); the pointer is empty. `first`: a node group that the cluster has.
 */
export function mixedMachinesProblems(
  manifest: DriverManifest,
  group: Pick<NodeGroupAttributes, 'machineSelector'>,
  first: Pick<NodeGroupAttributes, 'machineSelector'> | undefined,
): readonly Problem[] {
  const isOnMachines = ({ machineSelector }: typeof group): boolean =>
    machineSelector !== undefined && machineSelector !== null;
  if (manifest['mixedMachines'] !== false || !first || isOnMachines(group) === isOnMachines(first)) return [];
  const detail = `all node groups of a cluster of driver ${String(manifest['name'])} have a machineSelector, or none of them`;
  return [{ pointer: '', code: 'machines-mixed', detail }];
}

/** An empty manifest is that of a driver which no conductor offers now: nothing is known about it. Machines are a capability. */
function honours(manifest: DriverManifest, name: string): boolean {
  const { attributes = [], capabilities = [] } = manifest as Readonly<Record<string, readonly string[] | undefined>>;
  return manifest['name'] === undefined || (name === 'machines' ? capabilities : attributes).includes(name);
}

function imageProblems(manifest: DriverManifest, image: string, pointer: string): readonly Problem[] {
  const { restrictions, defaults } = manifest as {
    readonly restrictions?: DriverRestrictions;
    readonly defaults?: { readonly image?: string };
  };
  const allowed = restrictions?.nodeImages;
  if (!allowed || allowed.includes(image) || image === defaults?.image) return [];
  const detail = `image ${image} is not allowed for nodes; an operator allows it in NODE_IMAGES_ALLOWED`;
  return [{ pointer, code: 'image-not-allowed', detail }];
}

/**
 * Refuses a driver that live conductors of the group offer to other projects only (`driver-not-allowed`): one that gives access to their
 * machines and that no operator has enabled for everybody.
 */
export function driverRefusal(ring: RingView, group: string, driver: string, projectId: string): Refusal | undefined {
  const isClosed = ring.members().some(
    member =>
      (ring.mode === 'pinned' || foldGroup(member.group) === foldGroup(group)) &&
      member.drivers.some(({ name, manifest }) => {
        const { projects } = manifest as { readonly projects?: readonly string[] };
        return name === driver && projects !== undefined && !projects.includes(projectId);
      }),
  );
  if (!isClosed) return undefined;
  const detail = `driver ${driver} serves no other project than default, until an operator names it in DRIVERS_ENABLED`;
  return { code: 'driver-not-allowed', kind: 'forbidden', detail };
}

/**
 * Returns the names of the options whose change replaces nodes: those that the schema of the driver marks with `x-stave-change: roll`.
 * Undefined for the empty manifest of a driver that no conductor offers now.
 */
export function rollingOptions(manifest: DriverManifest): readonly string[] | undefined {
  return manifest['name'] === undefined ? undefined : optionsMarked(manifest, 'x-stave-change', 'roll');
}

function optionsMarked(manifest: DriverManifest, keyword: string, value: string): readonly string[] {
  const { options = {} } = manifest as {
    readonly options?: { readonly properties?: Readonly<Record<string, unknown>> };
  };
  return Object.entries(options.properties ?? {}).flatMap(([name, schema]) =>
    (schema as Readonly<Record<string, unknown>> | undefined)?.[keyword] === value ? [name] : [],
  );
}

/** Returns the options of a node group that only clusters have: those that the schema marks with `x-stave-scope: cluster`. */
export function scopeProblems(
  manifest: DriverManifest,
  options: Readonly<Record<string, unknown>>,
  base: string,
): readonly Problem[] {
  return optionsMarked(manifest, 'x-stave-scope', 'cluster')
    .filter(name => options[name] !== undefined)
    .map(name => ({
      pointer: `${base}/${escaped(name)}`,
      code: 'unsupported',
      detail: `driver ${String(manifest['name'])} has option ${name} for clusters only, not for node groups`,
    }));
}

/** Returns the changed options that neither replace nodes nor can be changed on existing nodes by the driver, with pointers under `/options`. */
export function unchangeableOptions(manifest: DriverManifest, changed: readonly string[]): readonly Problem[] {
  const rolling = rollingOptions(manifest);
  const { capabilities = [] } = manifest as { readonly capabilities?: readonly string[] };
  if (!rolling || capabilities.includes('nodeUpdate')) return [];
  return changed
    .filter(name => !rolling.includes(name))
    .map(name => ({
      pointer: `/options/${escaped(name)}`,
      code: 'unsupported',
      detail: `driver ${String(manifest['name'])} cannot change option ${name} of existing nodes`,
    }));
}

/** Refuses an action that the driver cannot do (422 `unsupported`). Nothing is refused while no conductor offers the driver. */
export function capabilityRefusal(
  manifest: DriverManifest | undefined,
  capability: string,
  what: string,
): Refusal | undefined {
  const { capabilities } = (manifest ?? {}) as { readonly capabilities?: readonly string[] };
  if (!capabilities || capabilities.includes(capability)) return undefined;
  const detail = `driver ${String(manifest?.['name'])} does not support ${what}`;
  return { code: 'unsupported', kind: 'unsupported', detail };
}
