import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Feed } from '../events/feed.js';
import { ReadModels } from '../read-models/read-models.js';
import { LeaderTasks } from '../reconcile/leader-tasks.js';
import { EndedStreams } from '../resources/ended-streams.js';
import { RingFollower } from '../ring/ring-follower.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';

/** Starts and stops the parts of a service in order. Everything that listens to the feed is registered before. */
@Injectable()
export class ServiceLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly feed: Feed,
    private readonly snapshots: ServiceSnapshots,
    private readonly ring: RingFollower,
    private readonly readModels: ReadModels,
    private readonly leaderTasks: LeaderTasks,
    private readonly ended: EndedStreams,
  ) {}

  /** Resolves when the service is ready for requests: everything that was in the log has been handled. */
  async onApplicationBootstrap(): Promise<void> {
    await this.readModels.open();
    this.ended.start();
    if (await this.snapshots.restore()) await this.feed.newer.unlessFound(() => this.ring.refresh());
    await this.feed.start();
    this.readModels.replayed();
    this.leaderTasks.start();
  }

  /** Nest closes the transport first: no request is in progress. */
  async onApplicationShutdown(): Promise<void> {
    await this.leaderTasks.stop();
    await this.ended.stop();
    await this.feed.close();
    await this.readModels.close();
  }
}
