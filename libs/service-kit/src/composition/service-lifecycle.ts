import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Feed } from '../events/feed.js';
import type { ReadModels } from '../read-models/read-models.js';
import type { LeaderTasks } from '../reconcile/leader-tasks.js';
import type { RingFollower } from '../ring/ring-follower.js';
import type { ServiceSnapshots } from '../snapshots/service-snapshots.js';

export interface LifecycleParts {
  readonly feed: Feed;
  readonly snapshots: ServiceSnapshots;
  readonly ring: RingFollower;
  readonly readModels: ReadModels;
  readonly leaderTasks: LeaderTasks;
}

/** Starts and stops the parts of a service in order. Everything that listens to the feed is registered before. */
export class ServiceLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly parts: LifecycleParts) {}

  /** Ready for requests when it resolves: everything that was in the log has been handled. */
  async onApplicationBootstrap(): Promise<void> {
    const { feed, snapshots, ring, readModels, leaderTasks } = this.parts;
    await readModels.open();
    if (snapshots.restore()) await ring.refresh();
    await feed.start();
    readModels.replayed();
    leaderTasks.start();
  }

  /** Nest closes the transport first: no request is under way. */
  async onApplicationShutdown(): Promise<void> {
    const { feed, readModels, leaderTasks } = this.parts;
    await leaderTasks.stop();
    await feed.close();
    await readModels.close();
  }
}
