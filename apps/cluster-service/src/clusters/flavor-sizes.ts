import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  flavorProblems,
  isNamedAlone,
  problemsWithin,
  type FlavorSpec,
  type Problem,
  type WantedFlavor,
} from '@stave/domain';
import { unknownFlavor, type FlavorAnswers } from '@stave/service-kit';
import type { ResolvedClusterRequest, WantedCluster } from './resolve-cluster-request.js';

interface Owner {
  readonly clusterId: string;
  readonly projectId: string;
}

/**
 * Returns the cluster with the sizes of its flavors, which a conductor looks up where they are given by name. Throws RefusedError: every flavor that
 * the infrastructure lacks or that is too small for the driver (422), at the place that the value came from; 503 where no conductor answers.
 */
export async function withSizes(
  wanted: WantedCluster,
  answers: FlavorAnswers,
  owner: Owner,
): Promise<ResolvedClusterRequest> {
  const { cluster, outline } = wanted;
  const { driver, driverVersion: version, conductorGroup, defaults, options } = cluster.spec;
  const ask = (flavor: WantedFlavor, group: string, own: Readonly<Record<string, unknown>> = {}) =>
    isNamedAlone(flavor)
      ? answers.sizesOf({
          name: flavor.name,
          ...owner,
          routing: { group, driver, version },
          options: { ...options, ...own },
        })
      : flavor;
  const [ofDefaults, ...ofGroups] = await Promise.all([
    defaults.flavor && ask(defaults.flavor, conductorGroup),
    ...cluster.groups.map(({ spec, origins }) =>
      origins?.['flavor']?.from === 'cluster-defaults'
        ? ask(spec.flavor, conductorGroup)
        : ask(spec.flavor, spec.conductorGroup ?? conductorGroup, spec.options),
    ),
  ]);
  const problems = [
    ...problemsWithin(
      outline.layers,
      outline.origins,
      'defaults',
      problemsOf(wanted, defaults.flavor, ofDefaults, '/flavor'),
    ),
    ...outline.groups.flatMap(({ layers, origins, values }, i) =>
      origins['flavor']?.from === 'cluster-defaults'
        ? []
        : problemsWithin(layers, origins, 'flavor', problemsOf(wanted, values.flavor, ofGroups[i], '')),
    ),
  ];
  if (problems.length > 0) throw new RefusedError(brokenRules(problems));
  return {
    ...cluster,
    spec: { ...cluster.spec, defaults: { ...defaults, ...(ofDefaults && { flavor: ofDefaults }) } as Defaults },
    groups: cluster.groups.map((group, i) => ({
      ...group,
      spec: { ...group.spec, flavor: ofGroups[i] as FlavorSpec },
    })),
  };
}

type Defaults = ResolvedClusterRequest['spec']['defaults'];

/** Flavors that were given with their sizes are checked already. */
function problemsOf(
  { cluster, manifest }: WantedCluster,
  wanted: WantedFlavor | undefined,
  sizes: FlavorSpec | undefined,
  base: string,
): readonly Problem[] {
  if (!isNamedAlone(wanted)) return [];
  return sizes ? flavorProblems(manifest, sizes, base) : [unknownFlavor(wanted.name, cluster.spec.driver, base)];
}
