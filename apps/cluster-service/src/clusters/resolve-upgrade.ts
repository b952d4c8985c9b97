import {
  clusterAttributeProblems,
  drivenClusterAttributes,
  groupAttributeProblems,
  manifestOf,
  type ClusterSpecification,
  type DriverManifest,
  type NodeGroupSpec,
  type Problem,
  type RingView,
} from '@stave/domain';
import { clusterOptionProblems, groupOptionProblems, requireDriver, requireVersion } from '@stave/service-kit';

export interface ResolvedUpgrade {
  readonly version: string;
  /** Options that this version does not accept. */
  readonly problems: readonly Problem[];
}

type Group = Pick<NodeGroupSpec, 'conductorGroup' | 'options'> &
  Partial<Pick<NodeGroupSpec, 'flavor' | 'dataVolumeGb' | 'volumes'>> & { readonly name: string };

/**
 * Returns the version that an upgrade leads to: the requested one, else the newest. Throws RefusedError `no-conductor-available` with the
 * offered versions where no live conductor of the cluster, or of a node group with conductors of its own, offers exactly this version.
 */
export function resolveUpgrade(
  ring: RingView,
  cluster: ClusterSpecification,
  groups: readonly Group[],
  asked?: string,
): ResolvedUpgrade {
  const { driver, conductorGroup, options } = cluster;
  const version = asked ?? requireDriver(ring, conductorGroup, driver).version;
  const own = groups.flatMap(g => (g.conductorGroup === null ? [] : [g.conductorGroup]));
  for (const group of new Set([conductorGroup, ...own])) requireVersion(ring, group, driver, version);
  const manifest = manifestOf(ring, driver, version) ?? {};
  const problems = [
    ...clusterOptionProblems(manifest, options, '/options'),
    ...groups.flatMap(g => groupOptionProblems(manifest, g.options, `/nodeGroups/${g.name}/options`)),
    ...unsupported(manifest, cluster, groups),
  ];
  const detail = (p: Problem): string => `version ${version} does not take ${p.pointer.slice(1)}: ${p.detail}`;
  return { version, problems: problems.map(p => ({ pointer: '/version', code: p.code, detail: detail(p) })) };
}

/** Returns the attributes that the version does not honour. Images are not checked: a driver's own default is among them. */
function unsupported(
  manifest: DriverManifest,
  cluster: ClusterSpecification,
  groups: readonly Group[],
): readonly Problem[] {
  const at = (base: string, problems: readonly Problem[]): readonly Problem[] =>
    problems.map(problem => ({ ...problem, pointer: `${base}${problem.pointer}` }));
  return [
    ...drivenClusterAttributes.flatMap(name => at(`/${name}`, clusterAttributeProblems(manifest, name, cluster[name]))),
    ...groups.flatMap(group =>
      (['flavor', 'dataVolumeGb', 'volumes'] as const).flatMap(name =>
        at(`/nodeGroups/${group.name}/${name}`, groupAttributeProblems(manifest, name, group[name])),
      ),
    ),
  ].filter(({ code, pointer }) => code === 'unsupported' && pointer !== '/defaults/image');
}
