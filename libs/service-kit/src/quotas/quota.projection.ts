import { Injectable } from '@nestjs/common';
import {
  amountsOfGroup,
  amountsOfGroupSpec,
  amountsOfSet,
  containerSetStream,
  nodeGroupStream,
  quotaStream,
  type ApiKeyCreated,
  type ClusterCreated,
  type ClusterTemplateCreated,
  type ContainerSetState,
  type NodeGroupState,
  type QuotaAmounts,
} from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import type { EventFeed } from '../history/history-context.js';
import { retention, type Retention } from '../resources/ended-streams.js';
import { CREATION_ABANDONED } from '../resources/names.js';
import { modelsOf, type Projection } from '../resources/projection.js';
import { ProjectUsage } from './project-usage.js';

/** A type of resources that take the same from their creation to their end. */
interface Fixed {
  readonly created: string;
  readonly ended: string;
  readonly amounts: QuotaAmounts;
  /** Returns the project; null where the resource takes nothing. Default: the member `projectId`. */
  readonly projectOf?: (created: RecordedEvent) => string | null;
}

const template = { templates: 1 };

const fixed: Readonly<Record<string, Fixed>> = {
  cluster: { created: 'ClusterCreated', ended: 'ClusterDeleted', amounts: { clusters: 1 } },
  clusterTemplate: { created: 'ClusterTemplateCreated', ended: 'ClusterTemplateDeleted', amounts: template },
  nodeGroupTemplate: { created: 'NodeGroupTemplateCreated', ended: 'NodeGroupTemplateDeleted', amounts: template },
  network: { created: 'NetworkCreated', ended: 'NetworkDeleted', amounts: { networks: 1 } },
  volume: { created: 'VolumeCreated', ended: 'VolumeDeleted', amounts: { volumes: 1 } },
  container: {
    created: 'ContainerCreated',
    ended: 'ContainerDeleted',
    amounts: { containers: 1 },
    projectOf: ({ data }) => ((data as { setId?: string }).setId === undefined ? projectIn(data) : null),
  },
  apiKey: {
    created: 'ApiKeyCreated',
    ended: 'ApiKeyRevoked',
    amounts: { keys: 1 },
    projectOf: ({ data }) => (data as ApiKeyCreated['data']).project,
  },
};

const projectIn = (data: unknown): string => (data as { readonly projectId: string }).projectId;

type ProjectListener = (projectId: string) => void;

/** The limits and reservations of each project, with what it uses: as far as this process follows the streams that count. */
@Injectable()
export class QuotaProjection
  extends modelsOf({ model: quotaStream, groups: nodeGroupStream, sets: containerSetStream })
  implements Projection
{
  private readonly roomListeners: ProjectListener[] = [];
  readonly usage = new ProjectUsage(projectId => this.notify(this.roomListeners, projectId));
  private readonly reservedListeners: ProjectListener[] = [];

  /** The streams that this process counts; default: all. */
  protected readonly counted: readonly string[] = [...Object.keys(fixed), 'nodeGroup', 'containerSet'];

  /** Calls the listener with the project of each reservation, also of those that are replayed. */
  onReserved(listener: ProjectListener): void {
    this.reservedListeners.push(listener);
  }

  /** Calls the listener with the project after each event after which it may have more than before, also of those that are replayed. */
  onRoom(listener: ProjectListener): void {
    this.roomListeners.push(listener);
  }

  follow(feed: EventFeed): void {
    feed.on(quotaStream.category, event => {
      this.model.apply(event);
      this.notify(event.type === 'QuotaReserved' ? this.reservedListeners : this.roomListeners, idOf(event));
    });
    feed.on('project', event => {
      if (event.type === 'ProjectDeleted') this.model.end(idOf(event));
    });
    for (const category of this.counted) feed.on(category, event => this.count(category, event));
  }

  retentions(): readonly Retention[] {
    const others = [retention(this.groups), retention(this.sets)];
    return [
      retention(this.model, { isDone: (_projectId, quota) => quota === undefined || quota.open.size === 0 }),
      ...others.filter(({ category }) => this.counted.includes(category)),
    ];
  }

  private notify(listeners: readonly ProjectListener[], projectId: string): void {
    for (const listener of listeners) listener(projectId);
  }

  private count(category: string, event: RecordedEvent): void {
    if (event.type === CREATION_ABANDONED) return this.usage.end(event.stream);
    if (category === 'nodeGroup') return this.countFolded(this.groups, event, amountsOfGroup);
    if (category === 'containerSet') return this.countFolded(this.sets, event, amountsOfSet);
    const type = fixed[category];
    if (type) this.countFixed(type, event);
    if (event.type === 'ClusterCreated') this.declareGroups(event.data as ClusterCreated['data']);
    if (event.type === 'ClusterTemplateCreated') this.declareTemplates(event.data as ClusterTemplateCreated['data']);
  }

  private countFixed({ created, ended, amounts, projectOf }: Fixed, event: RecordedEvent): void {
    const { stream, type, revision, data } = event;
    if (type === ended) {
      this.usage.end(stream);
      this.endDeclared(stream);
    }
    if (type !== created) return;
    const projectId = projectOf ? projectOf(event) : projectIn(data);
    if (projectId !== null) this.usage.put(stream, projectId, amounts, revision);
  }

  private countFolded<S extends NodeGroupState | ContainerSetState>(
    model: { apply(event: RecordedEvent): boolean; get(id: string): S | undefined },
    event: RecordedEvent,
    amountsOf: (state: S) => QuotaAmounts,
  ): void {
    model.apply(event);
    const state = model.get(idOf(event));
    if (!state) return;
    if (state.deleted) this.usage.end(event.stream);
    else this.usage.put(event.stream, state.declared.projectId, amountsOf(state), event.revision);
  }

  /** The first node groups of a cluster, and the templates in a new one, are accepted with it and get their streams later. */
  private readonly declared = new Map<string, readonly string[]>();

  private declareGroups({ id, projectId, groups }: ClusterCreated['data']): void {
    const streams = groups.map(group => {
      const stream = `nodeGroup-${group.id}`;
      this.usage.put(stream, projectId, amountsOfGroupSpec(group.spec), -1);
      return stream;
    });
    if (streams.length > 0) this.declared.set(`cluster-${id}`, streams);
  }

  private declareTemplates({ id, projectId, groups }: ClusterTemplateCreated['data']): void {
    const streams = groups.map(group => {
      const stream = `nodeGroupTemplate-${group.id}`;
      this.usage.put(stream, projectId, template, -1);
      return stream;
    });
    if (streams.length > 0) this.declared.set(`clusterTemplate-${id}`, streams);
  }

  private endDeclared(stream: string): void {
    for (const each of this.declared.get(stream) ?? []) this.usage.endUnlessBegun(each);
    this.declared.delete(stream);
  }
}
