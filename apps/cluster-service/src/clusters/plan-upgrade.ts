import { RefusedError } from '@stave/contracts';
import { manifestOf, type ClusterSpecification, type NodeGroupSpec, type Problem, type RingView } from '@stave/domain';
import { optionProblems, requireDriver } from '@stave/service-kit';

export interface PlannedUpgrade {
  readonly version: string;
  /** Options that this version does not take. */
  readonly problems: readonly Problem[];
}

type Group = Pick<NodeGroupSpec, 'conductorGroup' | 'options'> & { readonly name: string };

/**
 * To which version the cluster goes: the one that was named, else the newest. Throws RefusedError `no-conductor-available` with what is served
 * where no live conductor of the cluster, or of a group with conductors of its own, offers exactly this version.
 */
export function planUpgrade(
  ring: RingView,
  cluster: ClusterSpecification,
  groups: readonly Group[],
  asked?: string,
): PlannedUpgrade {
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

function requireVersion(ring: RingView, group: string, driver: string, version: string): void {
  if (ring.versionsOffered(group, driver).includes(version)) return;
  const where = group === '' ? 'the default conductor group' : `conductor group ${group}`;
  throw new RefusedError({
    code: 'no-conductor-available',
    kind: 'unavailable',
    detail: `no live conductor offers version ${version} of driver ${driver} in ${where}`,
    retryAfterMs: 5_000,
    extra: { served: ring.offered() },
  });
}
