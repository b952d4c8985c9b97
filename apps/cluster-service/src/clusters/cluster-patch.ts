import {
  changedOptions,
  clusterAttributeProblems,
  defaultsOf,
  drivenClusterAttributes,
  fixedAttributeProblems,
  flavorProblems,
  isNamedAlone,
  manifestOf,
  mergeLabels,
  mergePatch,
  omitUndefined,
  rollingOptions,
  type ClusterAttributesInput,
  type ClusterChanges,
  type ClusterSpecification,
  type Problem,
  type RingView,
} from '@stave/domain';
import { clusterOptionProblems, operatingManifest, requireDriver } from '@stave/service-kit';

type DefaultsInput = NonNullable<ClusterAttributesInput['defaults']>;
type Patched = Readonly<Record<string, unknown>> | null;

/** A merge patch: null restores the default conductor group, and removes a label, a member, or all of them. */
export interface ClusterPatch {
  readonly description?: string | null;
  readonly conductorGroup?: string | null;
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly defaults?: Patched;
  readonly network?: Patched;
  readonly api?: Patched;
  readonly options?: Patched;
}

/** Returns the attributes that the patch changes; the decider checks whether they are complete. */
export function changesOf(spec: ClusterSpecification, patch: ClusterPatch): ClusterChanges {
  const { description, labels, conductorGroup, defaults, network, api, options } = patch;
  // a default flavor without sizes is refused or completed before it is decided on
  return omitUndefined({
    description,
    conductorGroup: conductorGroup === null ? '' : conductorGroup,
    labels: labels === undefined ? undefined : mergeLabels(spec.labels, labels),
    defaults: defaults === undefined ? undefined : defaultsOf(merged<DefaultsInput>(spec.defaults, defaults)),
    network: network === undefined ? undefined : merged(spec.network, network),
    api: api === undefined ? undefined : merged(spec.api, api),
    options: options === undefined ? undefined : merged(spec.options, options),
  }) as ClusterChanges;
}

/** The request was validated against its schema, so the merged value has the shape of its target. */
const merged = <T extends object>(target: T, patch: Patched): T =>
  mergePatch(patch === null ? {} : target, patch ?? {}) as T;

/**
 * Returns how the changed cluster violates the manifest of the driver version that would operate it; no problems without a conductor.
 * `hasNodes` states whether the cluster has nodes, or gets them on what is built now.
 */
export function patchProblems(
  ring: RingView,
  changes: ClusterChanges,
  before: ClusterSpecification,
  hasNodes: () => boolean,
): (next: ClusterSpecification) => readonly Problem[] {
  return next => {
    const { conductorGroup, driver, driverVersion, options, defaults } = next;
    const version = ring.newestOffered(conductorGroup, driver, driverVersion);
    const manifest = (version === undefined ? undefined : manifestOf(ring, driver, version)) ?? {};
    const fixed = fixedAttributeProblems(manifest, before, next);
    return [
      ...(fixed.length > 0 && hasNodes() ? fixed : []),
      ...drivenClusterAttributes
        .filter(name => changes[name])
        .flatMap(name => within(`/${name}`, clusterAttributeProblems(manifest, name, next[name]))),
      ...(changes.options ? clusterOptionProblems(manifest, options, '/options') : []),
      // what a flavor without sizes lacks is reported by the decider
      ...(changes.defaults && !isNamedAlone(defaults.flavor)
        ? flavorProblems(manifest, defaults.flavor, '/defaults/flavor')
        : []),
    ];
  };
}

/** Returns whether an option changes that the driver marks as one whose change needs new nodes. */
export function changesRollingOptions(
  ring: RingView,
  before: ClusterSpecification,
  { conductorGroup, driver, driverVersion, options }: ClusterSpecification,
): boolean {
  const manifest = operatingManifest(ring, { group: conductorGroup, driver, version: driverVersion });
  const rolling = rollingOptions(manifest ?? {}) ?? [];
  return changedOptions(before.options, options).some(name => rolling.includes(name));
}

const within = (base: string, problems: readonly Problem[]): readonly Problem[] =>
  problems.map(problem => ({ ...problem, pointer: `${base}${problem.pointer}` }));

/** Throws RefusedError `no-conductor-available` where the patch moves the cluster, or changes what only its driver can classify. */
export function requireServed(ring: RingView, spec: ClusterSpecification, patch: ClusterPatch): void {
  const { conductorGroup, options, network, api } = patch;
  if ([conductorGroup, options, network, api].every(changed => changed === undefined)) return;
  const group = conductorGroup === undefined ? spec.conductorGroup : (conductorGroup ?? '');
  requireDriver(ring, group, spec.driver, spec.driverVersion);
}
