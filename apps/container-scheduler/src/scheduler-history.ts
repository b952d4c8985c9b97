import type { Type } from '@nestjs/common';
import type { ContainerProfileState, ContainerState } from '@stave/domain';
import { HistoryFeed, historyController, type HistoryContext, type ServiceRuntime } from '@stave/service-kit';
import type { EventStore } from '@stave/platform';
import type { ResourceLookup } from './resource-lookup.js';
import { containerDocument } from './containers/container.document.js';
import { profileDocument } from './profiles/profile.document.js';
import { SchedulerModels } from './scheduler-models.js';

const ignored = (): void => undefined;
const nothing = { profile: ignored, container: ignored, node: ignored, group: ignored, cluster: ignored };

function emptyModels(store: EventStore): { readonly models: SchedulerModels; readonly feed: HistoryFeed } {
  const models = new SchedulerModels(store);
  const feed = new HistoryFeed();
  models.follow({ feed }, nothing);
  return { models, feed };
}

/** Nothing but their own events shows in profiles and containers. */
const around = (): [] => [];

function profileWorld(store: EventStore): HistoryContext<ContainerProfileState> {
  const { models, feed } = emptyModels(store);
  const { profiles } = models;
  return { feed, own: profiles, snapshots: [profiles], document: id => profileDocument(models, id), around };
}

function containerWorld(store: EventStore): HistoryContext<ContainerState> {
  const { models, feed } = emptyModels(store);
  const { containers } = models;
  return { feed, own: containers, snapshots: [containers], document: id => containerDocument(models, id), around };
}

/** Past states of container profiles and containers. */
export const schedulerHistories = (
  runtime: ServiceRuntime,
  models: SchedulerModels,
  find: ResourceLookup,
): Type<object>[] => [
  historyController('container-scheduler', 'container-profile', runtime, {
    readModel: 'containerProfiles',
    what: 'the container profile',
    model: models.profiles,
    home: ({ created }) => created && { projectId: created.projectId },
    world: () => profileWorld(runtime.events),
    find: (meta, ref) => find.profile(meta, ref),
  }),
  historyController('container-scheduler', 'container', runtime, {
    readModel: 'containers',
    what: 'the container',
    model: models.containers,
    home: ({ declared }) => declared,
    world: () => containerWorld(runtime.events),
    find: (meta, ref) => find.container(meta, ref),
    references: {
      clusterId: (meta, ref) => find.cluster(meta, ref),
      nodeId: (meta, ref) => find.node(meta, ref),
      profileId: (meta, ref) => find.profile(meta, ref),
    },
  }),
];
