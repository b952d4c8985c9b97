import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Messaging, MessageSubscription } from '@stave/platform';
import { followSamples, GroupProof, MESSAGING } from '@stave/service-kit';
import { conductorGroupOf } from '../scheduling/attachment-routing.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Receives the samples that conductors publish. Every replica receives all of them. */
@Injectable()
export class ContainerUsageListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private subscriptions: readonly MessageSubscription[] = [];

  constructor(
    private readonly projection: SchedulerProjection,
    private readonly proof: GroupProof,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  onApplicationBootstrap(): void {
    const { projection } = this;
    const groupOfNode = (nodeId: string): string | undefined => conductorGroupOf(projection, nodeId);
    this.subscriptions = followSamples(this.messaging, this.proof, {
      nodes: samples => {
        projection.nodeUses.add(samples);
        projection.engineReservations.add(samples);
      },
      containers: samples => {
        projection.usages.add(samples);
        projection.demands.add(samples);
      },
      groupOfNode,
      // by the node that it is on, and not by the one that the sample names
      groupOfContainer: containerId => groupOfNode(projection.containers.get(containerId)?.nodeId ?? ''),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map(subscription => subscription.close()));
  }
}
