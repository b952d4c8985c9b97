import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { containerUsageSubject, usageSubject } from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';
import { isContainerSamples, isNodeSamples, MESSAGING } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Receives the samples that conductors publish. Every replica receives all of them. */
@Injectable()
export class ContainerUsageListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private subscriptions: readonly MessageSubscription[] = [];

  constructor(
    private readonly projection: SchedulerProjection,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  onApplicationBootstrap(): void {
    const containers = this.messaging.subscribe(containerUsageSubject, payload => {
      if (!isContainerSamples(payload)) return;
      this.projection.usages.add(payload);
      this.projection.demands.add(payload);
    });
    const nodes = this.messaging.subscribe(usageSubject, payload => {
      if (isNodeSamples(payload)) this.projection.nodeUses.add(payload);
    });
    this.subscriptions = [containers, nodes];
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map(subscription => subscription.close()));
  }
}
