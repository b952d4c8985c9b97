import {
  defaultsOf,
  flavorProblems,
  manifestOf,
  mergeLabels,
  mergePatch,
  type ClusterAttributesInput,
  type ClusterChanges,
  type ClusterSpecification,
  type Problem,
  type RingView,
} from '@stave/domain';
import { optionProblems, requireDriver } from '@stave/service-kit';

type Patched = Readonly<Record<string, unknown>> | null;

/** A merge patch: null goes back to the default group, and takes a label, a member, or all of them away. */
export interface ClusterPatch {
  readonly description?: string | null;
  readonly conductorGroup?: string | null;
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly defaults?: Patched;
  readonly network?: Patched;
  readonly api?: Patched;
  readonly options?: Patched;
}

/** What the patch makes of these attributes; the decider looks whether that is whole. */
export function changesOf(spec: ClusterSpecification, patch: ClusterPatch): ClusterChanges {
  const { description, labels, conductorGroup, defaults, network, api, options } = patch;
  return {
    ...(description === undefined ? {} : { description }),
    ...(conductorGroup === undefined ? {} : { conductorGroup: conductorGroup ?? '' }),
    ...(labels === undefined ? {} : { labels: mergeLabels(spec.labels, labels) }),
    ...(defaults === undefined
      ? {}
      : { defaults: defaultsOf(merged<NonNullable<ClusterAttributesInput['defaults']>>(spec.defaults, defaults)) }),
    ...(network === undefined ? {} : { network: merged<ClusterSpecification['network']>(spec.network, network) }),
    ...(api === undefined ? {} : { api: merged<ClusterSpecification['api']>(spec.api, api) }),
    ...(options === undefined ? {} : { options: merged<ClusterSpecification['options']>(spec.options, options) }),
  };
}

/** The schema of the request has seen to the shape of what is merged in. */
const merged = <T extends object>(target: T, patch: Patched): T =>
  mergePatch(patch === null ? {} : target, patch ?? {}) as T;

/** What the driver says against the outcome, by the version that would operate it; nothing where no conductor serves it now. */
export function patchProblems(
  ring: RingView,
  changes: ClusterChanges,
): (next: ClusterSpecification) => readonly Problem[] {
  return ({ conductorGroup, driver, driverVersion, options, defaults }) => {
    const version = ring.newestOffered(conductorGroup, driver, driverVersion);
    const manifest = (version === undefined ? undefined : manifestOf(ring, driver, version)) ?? {};
    return [
      ...(changes.options ? optionProblems(manifest, options, '/options') : []),
      ...(changes.defaults ? flavorProblems(manifest, defaults.flavor, '/defaults/flavor') : []),
    ];
  };
}

/** Throws RefusedError `no-conductor-available` where the patch moves the cluster, or changes what only its driver can classify. */
export function requireServed(ring: RingView, spec: ClusterSpecification, patch: ClusterPatch): void {
  if (patch.conductorGroup === undefined && patch.options === undefined) return;
  const group = patch.conductorGroup === undefined ? spec.conductorGroup : (patch.conductorGroup ?? '');
  requireDriver(ring, group, spec.driver, spec.driverVersion);
}
