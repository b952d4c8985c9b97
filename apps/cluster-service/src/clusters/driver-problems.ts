import type { FlavorSpec, NodeGroupInput, Problem } from '@stave/domain';
import { flavorProblems, optionProblems } from '@stave/platform';

interface Asked {
  readonly driver?: string;
  readonly defaults?: { readonly flavor?: FlavorSpec };
  readonly options?: Readonly<Record<string, unknown>>;
  readonly nodeGroups?: readonly NodeGroupInput[];
}

/** What the driver's manifest says against a cluster and its groups. */
export function driverProblems(manifest: Readonly<Record<string, unknown>>, asked: Asked): readonly Problem[] {
  const { driver = '', defaults = {}, options = {}, nodeGroups = [] } = asked;
  const managers = nodeGroups.some(g => g.role === 'manager' && (g.count ?? 1) > 0);
  const needsManager = manifest['requiresManager'] === true && nodeGroups.length > 0 && !managers;
  const detail = `driver ${driver} needs a node group of role manager`;
  return [
    ...optionProblems(manifest, options, '/options'),
    ...nodeGroups.flatMap((g, i) => optionProblems(manifest, g.options ?? {}, `/nodeGroups/${i}/options`)),
    ...flavorProblems(manifest, defaults.flavor, '/defaults/flavor'),
    ...nodeGroups.flatMap((g, i) => flavorProblems(manifest, g.flavor, `/nodeGroups/${i}/flavor`)),
    ...(needsManager ? [{ pointer: '/nodeGroups', code: 'manager-required', detail }] : []),
  ];
}
