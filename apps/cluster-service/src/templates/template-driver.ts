import type { ResourceDocument } from '@stave/contracts';
import {
  flavorProblems,
  manifestOf,
  mergeNodeGroup,
  outlineCluster,
  problemsWithin,
  type ClusterAttributes,
  type ClusterRequest,
  type ClusterTemplateState,
  type NodeGroupAttributes,
  type NodeGroupLayer,
  type NodeGroupTemplateState,
  type Problem,
  type RingView,
} from '@stave/domain';
import { optionProblems } from '@stave/service-kit';

type Manifest = Readonly<Record<string, unknown>>;
type Wanted = Pick<ClusterAttributes, 'driver' | 'driverVersion' | 'conductorGroup'>;

/** Something that is accepted and yet worth a look. */
export interface Warning {
  readonly code: string;
  readonly detail: string;
}

/** The manifest of what live conductors offer of this driver, anywhere where the template leaves the conductor group open. */
export function offeredManifest(
  ring: RingView,
  { driver, driverVersion, conductorGroup }: Wanted,
): Manifest | undefined {
  if (driver === undefined) return undefined;
  const versions =
    conductorGroup === undefined
      ? ring.offered().find(offer => offer.driver === driver)?.versions
      : ring.versionsOffered(conductorGroup, driver);
  const version = driverVersion === undefined ? versions?.[0] : versions?.find(v => v === driverVersion);
  return version === undefined ? undefined : manifestOf(ring, driver, version);
}

/** A template needs nobody who serves it; whoever creates from it does. `prefix` begins the detail. */
export function driverWarnings(ring: RingView, wanted: Wanted, prefix = ''): readonly Warning[] {
  const { driver, driverVersion, conductorGroup } = wanted;
  if (driver === undefined || offeredManifest(ring, wanted)) return [];
  const version = driverVersion === undefined ? '' : ` in version ${driverVersion}`;
  const where = conductorGroup === undefined ? '' : ` in conductor group "${conductorGroup}"`;
  return [
    {
      code: 'no-conductor-available',
      detail: `${prefix}no live conductor serves driver ${driver}${version}${where} now`,
    },
  ];
}

/** The same for a node group template that names a conductor group: by the driver of its cluster template, or by any. */
export function groupWarnings(
  ring: RingView,
  { attributes: { conductorGroup } }: NodeGroupTemplateState,
  parent: ClusterTemplateState | undefined,
): readonly Warning[] {
  if (typeof conductorGroup !== 'string') return [];
  if (parent?.attributes.driver !== undefined) return driverWarnings(ring, { ...parent.attributes, conductorGroup });
  if (ring.offered().some(({ driver }) => ring.versionsOffered(conductorGroup, driver).length > 0)) return [];
  return [
    { code: 'no-conductor-available', detail: `no live conductor is in conductor group "${conductorGroup}" now` },
  ];
}

/** The answer to a command, with what is worth a look. */
export const withWarnings = <T extends ResourceDocument>(resource: T, warnings: readonly Warning[]): T =>
  warnings.length === 0 ? resource : { ...resource, warnings };

/** What the driver's own schema and its least flavor say against what a cluster template gives, wherever its values come from. */
export function clusterTemplateProblems(manifest: Manifest, request: ClusterRequest): readonly Problem[] {
  const { values, origins, layers, groups } = outlineCluster(request);
  return [
    ...problemsWithin(layers, origins, 'options', optionsOf(manifest, values)),
    ...problemsWithin(layers, origins, 'defaults', flavorProblems(manifest, values.defaults?.flavor, '/flavor')),
    ...groups.flatMap(group => groupTemplateProblems(manifest, group.layers)),
  ];
}

/** The same of a node group template in a cluster template of this driver. */
export function groupTemplateProblems(manifest: Manifest, layers: readonly NodeGroupLayer[]): readonly Problem[] {
  const { values, origins } = mergeNodeGroup(layers);
  return [
    ...problemsWithin(layers, origins, 'options', optionsOf(manifest, values)),
    ...problemsWithin(layers, origins, 'flavor', flavorProblems(manifest, values.flavor, '')),
  ];
}

/** What is left open is not held against the template. */
const optionsOf = (manifest: Manifest, { options }: ClusterAttributes | NodeGroupAttributes): readonly Problem[] =>
  options === undefined ? [] : optionProblems(manifest, options, '');
