import { Injectable } from '@nestjs/common';
import { RefusedError, type Actor } from '@stave/contracts';
import {
  notFound,
  conflict,
  sourceOfCluster,
  sourceOfClusterTemplate,
  type ClusterSource,
  type NodeGroupSource,
} from '@stave/domain';
import { Feed, referredAt, NodeGroupSources, RefusedReferences, type NodeGroupFrom } from '@stave/service-kit';
import { ClusterLookup } from '../clusters/cluster.lookup.js';
import { ClusterProjection } from '../clusters/cluster.projection.js';
import { TemplateLookup } from '../templates/template.lookup.js';
import { TemplateProjection } from '../templates/template.projection.js';

/** The source of a cluster or cluster template, by id or name; exactly one member is given. */
export interface ClusterFrom {
  readonly clusterTemplate?: string;
  readonly cluster?: string;
}

/** The sources that a request for a cluster or a cluster template names. */
export interface FromRequest {
  readonly from?: ClusterFrom;
  readonly nodeGroups?: readonly { readonly from?: NodeGroupFrom }[];
}

export interface FoundSources {
  readonly from?: ClusterSource;
  /** One for each entry of `nodeGroups`; undefined for those without a source. */
  readonly groups: readonly (NodeGroupSource | undefined)[];
  /** Pointers of the sources that cannot be used. */
  readonly unknown?: ReadonlySet<string>;
}

/** Finds what `from` refers to: current resources of the requester. Sees everything that was acknowledged before the request. */
@Injectable()
export class SourceFinder {
  private readonly ofGroups: NodeGroupSources;

  constructor(
    private readonly feed: Feed,
    private readonly clusters: ClusterProjection,
    private readonly clusterLookup: ClusterLookup,
    private readonly templates: TemplateProjection,
    private readonly templateLookup: TemplateLookup,
  ) {
    const models = { clusters: clusters.clusters, groups: clusters.groups, groupTemplates: templates.groupTemplates };
    this.ofGroups = new NodeGroupSources(models, () => feed.caughtUp());
  }

  /**
   * Returns the result of `resolve` for all sources of a request for a cluster or a cluster template; the name of a node group is looked up
   * first in the cluster that is the source. Throws RefusedError with every source that cannot be used, and what `resolve` refuses: `not-found` (422)
   * at `/from/<member>` or `/nodeGroups/<i>/from/<member>`, `ambiguous-name` (409) with the candidates, `being-deleted` (409).
   */
  async all<T>(actor: Actor, { from, nodeGroups = [] }: FromRequest, resolve: (found: FoundSources) => T): Promise<T> {
    const refused = new RefusedReferences();
    const unknown = new Set<string>();
    const source = from && (await refused.collect(this.cluster(actor, from, '/from')));
    if (from && !source) unknown.add('/from');
    const near = source?.ref.type === 'cluster' ? source.ref.id : undefined;
    const groups: (NodeGroupSource | undefined)[] = [];
    for (const [i, entry] of nodeGroups.entries()) {
      const base = `/nodeGroups/${i}/from`;
      const own = entry.from && (await refused.collect(this.ofGroups.of(actor, entry.from, base, near)));
      if (entry.from && !own) unknown.add(base);
      groups.push(own);
    }
    return refused.with(() => resolve({ ...(source ? { from: source } : {}), groups, unknown }));
  }

  /** Finds a cluster template or a cluster, with its groups. Throws RefusedError as {@link all}; pointers begin with `base`. */
  cluster(actor: Actor, { clusterTemplate, cluster = '' }: ClusterFrom, base: string): Promise<ClusterSource> {
    return clusterTemplate === undefined
      ? referredAt(`${base}/cluster`, () => this.ofCluster(actor, cluster))
      : referredAt(`${base}/clusterTemplate`, () => this.ofClusterTemplate(actor, clusterTemplate));
  }

  /** Finds a node group template or a node group. Throws RefusedError as {@link all}; pointers begin with `base`. */
  nodeGroup(actor: Actor, from: NodeGroupFrom, base: string): Promise<NodeGroupSource> {
    return this.ofGroups.of(actor, from, base);
  }

  /** Node group templates that are not created yet are taken from the event that created the cluster template. */
  private async ofClusterTemplate(actor: Actor, ref: string): Promise<ClusterSource> {
    const { id } = await this.templateLookup.clusterTemplates.find({ actor }, ref);
    await this.feed.caughtUp();
    const { clusterTemplates, groupTemplates } = this.templates;
    // read again: it may have been deleted with its groups while the feed caught up
    const state = clusterTemplates.get(id);
    if (!state || state.deleted) throw new RefusedError(notFound('the cluster template'));
    const awaited = state.created.groups.filter(group => groupTemplates.entry(group.id) === undefined);
    const made = this.templates.inside(id).map(([, group]) => ({ ...group.created, ...group }));
    const groups = [...made, ...awaited].sort((a, b) => (a.id < b.id ? -1 : 1));
    return sourceOfClusterTemplate(state, groups);
  }

  private async ofCluster(actor: Actor, ref: string): Promise<ClusterSource> {
    const { id } = await this.clusterLookup.find({ actor }, ref);
    await this.feed.caughtUp();
    const state = this.clusters.clusters.get(id);
    if (!state || state.deleted) throw new RefusedError(notFound('the cluster'));
    if (state.deleting) throw new RefusedError(conflict('being-deleted', 'the cluster is being deleted'));
    return sourceOfCluster(state, this.clusters.groupsOf(state));
  }
}
