import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { containerUsageSubject, groupContainerUsageSubject, groupUsageSubject, usageSubject } from '@stave/contracts';
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
    const { messaging } = this;
    const containers = (payload: unknown): void => {
      if (!isContainerSamples(payload)) return;
      this.projection.usages.add(payload);
      this.projection.demands.add(payload);
    };
    const nodes = (payload: unknown): void => {
      if (isNodeSamples(payload)) this.projection.nodeUses.add(payload);
    };
    this.subscriptions = [
      ...[containerUsageSubject, groupContainerUsageSubject('*')].map(subject =>
        messaging.subscribe(subject, containers),
      ),
      ...[usageSubject, groupUsageSubject('*')].map(subject => messaging.subscribe(subject, nodes)),
    ];
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map(subscription => subscription.close()));
  }
}
