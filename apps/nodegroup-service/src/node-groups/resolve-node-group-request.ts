import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  driverDefaults,
  flavorProblems,
  generatedName,
  manifestOf,
  mergeNodeGroup,
  mismatch,
  nodeGroupAttributesOf,
  outlineNodeGroup,
  problemsWithin,
  randomSource,
  resolveNodeGroup,
  sourceLayer,
  type ClusterSpecification,
  type GroupDeclaration,
  type NodeGroupAttributesInput,
  type NodeGroupLayer,
  type NodeGroupSource,
  type Problem,
  type RingView,
} from '@stave/domain';
import { optionProblems, requireDriver, type NodeGroupFrom } from '@stave/service-kit';

/** A request to create a node group. */
export type NodeGroupInput = NodeGroupAttributesInput & {
  readonly clusterId: string;
  readonly name?: string;
  readonly from?: NodeGroupFrom;
};

/**
 * Resolves every attribute of a requested node group: from the request, its source `from`, the cluster and the driver, in this order. Throws
 * RefusedError (422) with everything that is missing or invalid, or `no-conductor-available` (503) where no conductor offers the cluster's driver in
 * the group's conductor group. A request whose source was not found (`body.from` without `from`) is only checked.
 */
export function resolveNodeGroupRequest(
  ring: RingView,
  body: Omit<NodeGroupInput, 'clusterId'>,
  cluster: ClusterSpecification,
  id: string,
  from?: NodeGroupSource,
): GroupDeclaration {
  const { driver, driverVersion, conductorGroup, defaults } = cluster;
  const layers = layersOf(body, from);
  const { values } = outlineNodeGroup(layers, { cluster: defaults });
  const [version] = ring.versionsOffered(values.conductorGroup ?? conductorGroup, driver, driverVersion);
  const manifest = version === undefined ? {} : (manifestOf(ring, driver, version) ?? {});
  const open = { cluster: defaults, ...driverDefaults(manifest) };
  const isOpen = body.from !== undefined && !from;
  const resolved = isOpen
    ? ({ ok: false, problems: mergeNodeGroup(layers).problems } as const)
    : resolveNodeGroup(layers, open);
  const problems = [
    ...(from ? mismatch(from.ref, from.driver, driver, '/from') : []),
    ...(resolved.ok ? [] : resolved.problems),
    ...(isOpen ? [] : driverProblems(manifest, layers, outlineNodeGroup(layers, open))),
  ];
  if (!resolved.ok || problems.length > 0) throw new RefusedError(brokenRules(problems));
  const { spec, origins } = resolved;
  requireDriver(ring, spec.conductorGroup ?? conductorGroup, driver, driverVersion);
  const generated = from ? generatedName(from.ref.name, randomSource(id)) : `group-${id.slice(-6)}`;
  return { id, name: body.name ?? generated, spec, ...(from ? { source: from.ref } : {}), origins };
}

const layersOf = (body: NodeGroupAttributesInput, from: NodeGroupSource | undefined): readonly NodeGroupLayer[] => [
  { origin: { from: 'request' }, attributes: nodeGroupAttributesOf(body), pointer: attribute => `/${attribute}` },
  ...(from ? [sourceLayer(from, '/from')] : []),
];

/** Returns how the values violate the driver's manifest, each at the place that the value came from. */
function driverProblems(
  manifest: Readonly<Record<string, unknown>>,
  layers: readonly NodeGroupLayer[],
  { values, origins }: ReturnType<typeof outlineNodeGroup>,
): readonly Problem[] {
  return [
    ...problemsWithin(layers, origins, 'options', optionProblems(manifest, values.options ?? {}, '')),
    ...problemsWithin(layers, origins, 'flavor', flavorProblems(manifest, values.flavor, '')),
  ];
}
