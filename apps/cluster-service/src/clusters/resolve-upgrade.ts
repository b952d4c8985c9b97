import { manifestOf, type ClusterSpecification, type NodeGroupSpec, type Problem, type RingView } from '@stave/domain';
import { optionProblems, requireDriver, requireVersion } from '@stave/service-kit';

export interface ResolvedUpgrade {
  readonly version: string;
  /** Options that this version does not accept. */
  readonly problems: readonly Problem[];
}

type Group = Pick<NodeGroupSpec, 'conductorGroup' | 'options'> & { readonly name: string };

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
    ...optionProblems(manifest, options, '/options'),
    ...groups.flatMap(g => optionProblems(manifest, g.options, `/nodeGroups/${g.name}/options`)),
  ];
  const detail = (p: Problem): string => `version ${version} does not take ${p.pointer.slice(1)}: ${p.detail}`;
  return { version, problems: problems.map(p => ({ pointer: '/version', code: p.code, detail: detail(p) })) };
}
