import {
  clusterAttributeProblems,
  drivenClusterAttributes,
  drivenGroupAttributes,
  flavorProblems,
  groupAttributeProblems,
  mixedMachinesProblems,
  problemsWithin,
  type ClusterOutline,
  type DriverManifest,
  type Problem,
} from '@stave/domain';
import { clusterOptionProblems, groupOptionProblems } from '@stave/service-kit';

/** Returns how a cluster and its groups violate the driver's manifest, each problem at the place that the value came from. */
export function driverProblems(manifest: DriverManifest, cluster: ClusterOutline): readonly Problem[] {
  const { values, origins, layers, groups } = cluster;
  const at = (attribute: string, problems: readonly Problem[]): readonly Problem[] =>
    problemsWithin(layers, origins, attribute, problems);
  return [
    ...at('options', clusterOptionProblems(manifest, values.options ?? {}, '')),
    ...groups.flatMap(group => optionsOf(manifest, group)),
    ...drivenClusterAttributes.flatMap(name => at(name, clusterAttributeProblems(manifest, name, values[name]))),
    ...groups.flatMap(group => attributesOf(manifest, group)),
    ...at('defaults', flavorProblems(manifest, values.defaults?.flavor, '/flavor')),
    ...groups.flatMap(group => flavorOf(manifest, group)),
    ...groups.flatMap(group => machinesOf(manifest, group, groups[0])),
    ...managerProblems(manifest, cluster),
  ];
}

type Group = ClusterOutline['groups'][number];

const optionsOf = (manifest: DriverManifest, { values, origins, layers }: Group): readonly Problem[] =>
  problemsWithin(layers, origins, 'options', groupOptionProblems(manifest, values.options ?? {}, ''));

/** The defaults of the cluster are reported for the cluster, those of the driver not at all. */
function attributesOf(manifest: DriverManifest, { values, origins, layers }: Group): readonly Problem[] {
  const given = drivenGroupAttributes.filter(name => !origins[name]?.from.endsWith('-defaults'));
  return given.flatMap(name =>
    problemsWithin(layers, origins, name, groupAttributeProblems(manifest, name, values[name])),
  );
}

/** The default flavor of the cluster is reported for the cluster, not for each group. */
function flavorOf(manifest: DriverManifest, { values, origins, layers }: Group): readonly Problem[] {
  if (origins['flavor']?.from === 'cluster-defaults') return [];
  return problemsWithin(layers, origins, 'flavor', flavorProblems(manifest, values.flavor, ''));
}

const machinesOf = (manifest: DriverManifest, { values, origins, layers }: Group, first?: Group): readonly Problem[] =>
  problemsWithin(layers, origins, 'machineSelector', mixedMachinesProblems(manifest, values, first?.values));

function managerProblems(manifest: DriverManifest, { values, groups }: ClusterOutline): readonly Problem[] {
  const managed = groups.some(group => group.values.role === 'manager' && (group.values.count ?? 1) > 0);
  if (manifest['requiresManager'] !== true || groups.length === 0 || managed) return [];
  const pointer = groups.some(({ index }) => index !== undefined) ? '/nodeGroups' : '/from';
  const detail = `driver ${values.driver ?? ''} needs a node group of role manager`;
  return [{ pointer, code: 'manager-required', detail }];
}
