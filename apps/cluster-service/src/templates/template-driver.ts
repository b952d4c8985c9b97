import type { ResourceDocument } from '@stave/contracts';
import {
  clusterAttributeProblems,
  drivenClusterAttributes,
  drivenGroupAttributes,
  flavorProblems,
  groupAttributeProblems,
  manifestOf,
  meantFlavorPatch,
  mergeNodeGroup,
  mergePatch,
  outlineCluster,
  problemsWithin,
  type ClusterAttributes,
  type ClusterRequest,
  type ClusterTemplateState,
  type DriverManifest,
  type NodeGroupAttributes,
  type NodeGroupLayer,
  type NodeGroupTemplateState,
  type Problem,
  type RingView,
} from '@stave/domain';
import { clusterOptionProblems, groupOptionProblems } from '@stave/service-kit';

type Wanted = Pick<ClusterAttributes, 'driver' | 'driverVersion' | 'conductorGroup'>;

/** A condition that does not prevent the command, shown with its answer. */
interface Warning {
  readonly code: string;
  readonly detail: string;
}

/** Returns the manifest of the driver as live conductors offer it: in its conductor group, or in any where that is open. */
export function offeredManifest(
  ring: RingView,
  { driver, driverVersion, conductorGroup }: Wanted,
): DriverManifest | undefined {
  if (driver === undefined) return undefined;
  const versions =
    conductorGroup === undefined
      ? ring.offered().find(offer => offer.driver === driver)?.versions
      : ring.versionsOffered(conductorGroup, driver);
  const version = driverVersion === undefined ? versions?.[0] : versions?.find(v => v === driverVersion);
  return version === undefined ? undefined : manifestOf(ring, driver, version);
}

/** Returns a warning when no live conductor offers the driver: a template can be stored all the same. `prefix` begins the detail. */
export function driverWarnings(ring: RingView, wanted: Wanted, prefix = ''): readonly Warning[] {
  const { driver, driverVersion, conductorGroup } = wanted;
  if (driver === undefined || offeredManifest(ring, wanted)) return [];
  const version = driverVersion === undefined ? '' : ` in version ${driverVersion}`;
  const where = conductorGroup === undefined ? '' : ` in conductor group "${conductorGroup}"`;
  const detail = `${prefix}no live conductor serves driver ${driver}${version}${where} now`;
  return [{ code: 'no-conductor-available', detail }];
}

/** Returns warnings about the driver of a cluster template, and about the conductor groups of the node group templates that it was created with. */
export function clusterTemplateWarnings(ring: RingView, state: ClusterTemplateState): readonly Warning[] {
  const { attributes, created } = state;
  const ofGroups = created.groups.flatMap(({ name, attributes: { conductorGroup } }) =>
    typeof conductorGroup === 'string'
      ? driverWarnings(ring, { ...attributes, conductorGroup }, `node group template ${name}: `)
      : [],
  );
  return [...driverWarnings(ring, attributes), ...ofGroups];
}

/** Returns a warning when no live conductor of the template's conductor group offers the driver of its cluster template, or any driver. */
export function groupWarnings(
  ring: RingView,
  { attributes: { conductorGroup } }: NodeGroupTemplateState,
  parent: ClusterTemplateState | undefined,
): readonly Warning[] {
  if (typeof conductorGroup !== 'string') return [];
  if (parent?.attributes.driver !== undefined) return driverWarnings(ring, { ...parent.attributes, conductorGroup });
  if (ring.offered().some(({ driver }) => ring.versionsOffered(conductorGroup, driver).length > 0)) return [];
  const detail = `no live conductor is in conductor group "${conductorGroup}" now`;
  return [{ code: 'no-conductor-available', detail }];
}

/** Adds the warnings to the answer to a command. */
export const withWarnings = <T extends ResourceDocument>(resource: T, warnings: readonly Warning[]): T =>
  warnings.length === 0 ? resource : { ...resource, warnings };

/** Returns how a cluster template violates the driver's manifest (options, minimum flavor), each problem where its value comes from. */
export function clusterTemplateProblems(manifest: DriverManifest, request: ClusterRequest): readonly Problem[] {
  const { values, origins, layers, groups } = outlineCluster(request);
  return [
    ...problemsWithin(
      layers,
      origins,
      'options',
      given(values.options, o => clusterOptionProblems(manifest, o, '')),
    ),
    ...drivenClusterAttributes.flatMap(name =>
      problemsWithin(layers, origins, name, clusterAttributeProblems(manifest, name, values[name])),
    ),
    ...problemsWithin(layers, origins, 'defaults', flavorProblems(manifest, values.defaults?.flavor, '/flavor')),
    ...groups.flatMap(group => groupTemplateProblems(manifest, group.layers)),
  ];
}

/** Returns how a node group template violates the manifest of the driver of its cluster template. */
export function groupTemplateProblems(manifest: DriverManifest, layers: readonly NodeGroupLayer[]): readonly Problem[] {
  const { values, origins } = mergeNodeGroup(layers);
  return [
    ...problemsWithin(
      layers,
      origins,
      'options',
      given(values.options, o => groupOptionProblems(manifest, o, '')),
    ),
    ...drivenGroupAttributes.flatMap(name =>
      problemsWithin(layers, origins, name, groupAttributeProblems(manifest, name, values[name])),
    ),
    ...problemsWithin(layers, origins, 'flavor', flavorProblems(manifest, values.flavor, '')),
  ];
}

/** A merge patch of a template. What it leaves as it is, is checked again only with another driver: the template may be older than the driver. */
type Patch = Readonly<Record<string, unknown>>;

/** Returns the patch of a cluster template with its default flavor as it is meant for the driver. */
export function meantClusterPatch<P extends Patch>(ring: RingView, before: ClusterAttributes, patch: P): P {
  const { defaults } = patch;
  if (!isObject(defaults) || !isObject(defaults['flavor'])) return patch;
  const manifest = offeredManifest(ring, mergePatch(before, patch) as ClusterAttributes);
  return { ...patch, defaults: { ...defaults, flavor: meantFlavorPatch(manifest ?? {}, defaults['flavor']) } };
}

/** Returns the patch of a node group template with its flavor as it is meant for the driver that is given by `driven`. */
export function meantGroupPatch<P extends Patch>(ring: RingView, driven: Wanted, patch: P): P {
  const { flavor } = patch;
  if (!isObject(flavor)) return patch;
  return { ...patch, flavor: meantFlavorPatch(offeredManifest(ring, driven) ?? {}, flavor) };
}

const isObject = (value: unknown): value is Patch => typeof value === 'object' && value !== null;

const changesDriver = (patch: Patch): boolean =>
  ['driver', 'driverVersion', 'clusterTemplateId'].some(name => name in patch);

const isChecked = (patch: Patch, name: string): boolean => name in patch || changesDriver(patch);

const within = (attribute: string, problems: readonly Problem[]): readonly Problem[] =>
  problems.map(problem => ({ ...problem, pointer: `/${attribute}${problem.pointer}` }));

/** Returns how the attributes that a patch changed violate the manifest of the template's driver. */
export function patchedClusterProblems(
  ring: RingView,
  patch: Patch,
  attributes: ClusterAttributes,
): readonly Problem[] {
  const manifest = offeredManifest(ring, attributes);
  if (!manifest) return [];
  return [
    ...given(attributes.options, o => clusterOptionProblems(manifest, o, '/options')),
    ...drivenClusterAttributes
      .filter(name => isChecked(patch, name))
      .flatMap(name => within(name, clusterAttributeProblems(manifest, name, attributes[name] ?? null))),
    ...(isChecked(patch, 'defaults') ? flavorProblems(manifest, attributes.defaults?.flavor, '/defaults/flavor') : []),
  ];
}

/** Returns how the attributes that a patch changed violate the manifest of the driver that is given by `driven`. */
export function patchedGroupProblems(
  ring: RingView,
  driven: Wanted,
  patch: Patch,
  attributes: NodeGroupAttributes,
): readonly Problem[] {
  const manifest = offeredManifest(ring, driven);
  if (!manifest) return [];
  return [
    ...given(attributes.options, o => groupOptionProblems(manifest, o, '/options')),
    ...drivenGroupAttributes
      .filter(name => isChecked(patch, name))
      .flatMap(name => within(name, groupAttributeProblems(manifest, name, attributes[name] ?? null))),
    ...(isChecked(patch, 'flavor') ? flavorProblems(manifest, attributes.flavor, '/flavor') : []),
  ];
}

type Options = Readonly<Record<string, unknown>>;

/** Options that the template leaves open are no problem. */
const given = (
  options: Options | undefined,
  problemsIn: (options: Options) => readonly Problem[],
): readonly Problem[] => (options === undefined ? [] : problemsIn(options));
