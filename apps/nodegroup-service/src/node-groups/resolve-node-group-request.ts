import { Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import {
  brokenRules,
  clusterWorkRefusal,
  drivenGroupAttributes,
  driverDefaults,
  flavorProblems,
  generatedName,
  groupAttributeProblems,
  isNamedAlone,
  manifestOf,
  mergeNodeGroup,
  mismatch,
  mixedMachinesProblems,
  nodeGroupAttributesOf,
  outlineNodeGroup,
  pausedRefusal,
  problemsWithin,
  randomSource,
  resolveNodeGroup,
  sourceLayer,
  type ClusterSpecification,
  type DriverManifest,
  type ClusterState,
  type GroupDeclaration,
  type NodeGroupAttributesInput,
  type NodeGroupLayer,
  type NodeGroupSource,
  type Problem,
  type RingView,
  type WantedNodeGroupSpec,
} from '@stave/domain';
import {
  Feed,
  NamedFlavors,
  NodeGroupSources,
  operatingManifest,
  groupOptionProblems,
  RefusedReferences,
  requireAllowedDriver,
  requireDriver,
  RingFollower,
  unknownFlavor,
  type AcceptedRequest,
  type FlavorAnswers,
  type Named,
  type NodeGroupFrom,
} from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeGroupRegistry } from './node-group-registry.js';

/** A request to create a node group. */
export type NodeGroupInput = NodeGroupAttributesInput & {
  readonly clusterId: string;
  readonly name?: string;
  readonly from?: NodeGroupFrom;
};

/** A node group as it will be created, whose flavor may be given by its name alone. */
export type WantedGroup = Omit<GroupDeclaration, 'spec'> & { readonly spec: WantedNodeGroupSpec };

/**
 * Resolves every attribute of a requested node group, but for the sizes of a flavor that is given by name: from the request, its source `from`, the cluster and the driver, in this order. Throws
 * RefusedError (422) with everything that is missing or invalid, or `no-conductor-available` (503) where no conductor offers the cluster's driver in
 * the group's conductor group. A request whose source was not found (`body.from` without `from`) is only checked.
 */
export function resolveNodeGroupRequest(
  ring: RingView,
  body: Omit<NodeGroupInput, 'clusterId'>,
  cluster: ClusterSpecification,
  id: string,
  from?: NodeGroupSource,
): WantedGroup {
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
  manifest: DriverManifest,
  layers: readonly NodeGroupLayer[],
  { values, origins }: ReturnType<typeof outlineNodeGroup>,
): readonly Problem[] {
  return [
    ...problemsWithin(layers, origins, 'options', groupOptionProblems(manifest, values.options ?? {}, '')),
    ...drivenGroupAttributes
      .filter(name => origins[name]?.from !== 'driver-defaults')
      .flatMap(name => problemsWithin(layers, origins, name, groupAttributeProblems(manifest, name, values[name]))),
    ...problemsWithin(layers, origins, 'flavor', flavorProblems(manifest, values.flavor, '')),
  ];
}

/** The cluster of a new node group. */
export interface Parent extends Named<ClusterState> {
  readonly spec: ClusterSpecification;
  readonly projectId: string;
}

export interface ResolvedRequest {
  readonly cluster: Parent;
  readonly group: GroupDeclaration;
}

/** Resolves requests to create node groups: the cluster, the source, every attribute, and whether the name is free. */
@Injectable()
export class NodeGroupRequestResolver {
  private readonly sources: NodeGroupSources;

  constructor(
    private readonly ring: RingFollower,
    private readonly lookup: FleetLookup,
    private readonly registry: NodeGroupRegistry,
    private readonly projection: FleetProjection,
    feed: Feed,
    readonly flavors: NamedFlavors,
  ) {
    this.sources = new NodeGroupSources(projection, () => feed.caughtUp());
  }

  /** Returns what the request resolves to; for a request that was stored, what it resolved to then. Throws RefusedError. */
  async resolve(
    meta: RequestMeta,
    body: NodeGroupInput,
    ids: AcceptedRequest,
    flavors: FlavorAnswers,
  ): Promise<ResolvedRequest> {
    const cluster = await this.parent(meta, body.clusterId);
    const stored = ids.resolved as GroupDeclaration | undefined;
    if (stored) return { cluster, group: stored };
    const refused = new RefusedReferences();
    const source = body.from && this.sources.of(meta.actor, body.from, '/from', cluster.id);
    const from = source && (await refused.collect(source));
    const { view } = this.ring;
    const wanted = refused.with(() => resolveNodeGroupRequest(view, body, cluster.spec, ids.resourceId, from));
    const { conductorGroup, driver } = cluster.spec;
    requireAllowedDriver(view, wanted.spec.conductorGroup ?? conductorGroup, driver, cluster.projectId);
    const group = await this.withSizes(wanted, layersOf(body, from), cluster, flavors);
    this.requireOneKind(group, layersOf(body, from), cluster);
    await this.registry.requireRegistrable(cluster.id, cluster.state, group);
    return { cluster, group };
  }

  /** Returns the group with the sizes of its flavor. Throws RefusedError: `flavor-unknown` or a flavor that is too small (422), or 503 where no conductor answers. */
  private async withSizes(
    { spec, ...group }: WantedGroup,
    layers: readonly NodeGroupLayer[],
    { id: clusterId, projectId, spec: cluster }: Parent,
    answers: FlavorAnswers,
  ): Promise<GroupDeclaration> {
    const { flavor } = spec;
    if (!isNamedAlone(flavor)) return { ...group, spec: { ...spec, flavor } };
    const { driver, driverVersion: version } = cluster;
    const routing = { group: spec.conductorGroup ?? cluster.conductorGroup, driver, version };
    const options = { ...cluster.options, ...spec.options };
    const sizes = await answers.sizesOf({ name: flavor.name, clusterId, projectId, routing, options });
    const problems = sizes
      ? flavorProblems(operatingManifest(this.ring.view, routing) ?? {}, sizes, '')
      : [unknownFlavor(flavor.name, driver, '')];
    const { origins } = outlineNodeGroup(layers, { cluster: cluster.defaults });
    if (!sizes || problems.length > 0)
      throw new RefusedError(brokenRules(problemsWithin(layers, origins, 'flavor', problems)));
    return { ...group, spec: { ...spec, flavor: sizes } };
  }

  /** Throws RefusedError `machines-mixed` for a group that the driver cannot have beside those that are known of the cluster. */
  private requireOneKind({ spec }: GroupDeclaration, layers: readonly NodeGroupLayer[], cluster: Parent): void {
    const { driver, driverVersion: version, conductorGroup } = cluster.spec;
    const routing = { group: spec.conductorGroup ?? conductorGroup, driver, version };
    const { groups } = this.projection;
    const known = this.projection.groupsOf(cluster.id).flatMap(id => groups.get(id)?.spec ?? []);
    const awaited = cluster.state.created.groups.filter(({ id }) => !groups.entry(id)).map(group => group.spec);
    const manifest = operatingManifest(this.ring.view, routing) ?? {};
    const problems = mixedMachinesProblems(manifest, spec, [...known, ...awaited][0]);
    const { origins } = outlineNodeGroup(layers, { cluster: cluster.spec.defaults });
    if (problems.length > 0)
      throw new RefusedError(brokenRules(problemsWithin(layers, origins, 'machineSelector', problems)));
  }

  /** Throws RefusedError when the cluster accepts no new node groups. */
  private async parent(meta: RequestMeta, ref: string): Promise<Parent> {
    const cluster = await this.lookup.cluster(meta, ref);
    const { created, spec } = cluster.state;
    const refusal = clusterWorkRefusal(cluster.state) ?? pausedRefusal(cluster.state);
    if (refusal) throw new RefusedError(refusal);
    return { ...cluster, spec, projectId: created.projectId };
  }
}
