import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { containerUsageSubject } from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';
import { isContainerSamples, MESSAGING } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Receives the samples that conductors publish. Every replica receives all of them. */
@Injectable()
export class ContainerUsageListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private subscription: MessageSubscription | undefined;

  constructor(
    private readonly projection: SchedulerProjection,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  onApplicationBootstrap(): void {
    this.subscription = this.messaging.subscribe(containerUsageSubject, payload => {
      if (!isContainerSamples(payload)) return;
      this.projection.usages.add(payload);
      this.projection.demands.add(payload);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.subscription?.close();
  }
}
