import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Messaging, MessageSubscription } from '@stave/platform';
import { conductorGroupOf, followSamples, GroupProof, MESSAGING } from '@stave/service-kit';
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
    this.subscriptions = followSamples(this.messaging, this.proof, {
      known: projection.nodeUses.known,
      nodes: (samples, of) => {
        projection.nodeUses.add(samples, of);
        projection.engineReservations.add(samples, of);
      },
      containers: samples => {
        projection.usages.add(samples);
        projection.demands.add(samples);
      },
      groupOfNode: place => conductorGroupOf(projection, place),
      // by the node that it is on, and not by the one that the sample names
      groupOfContainer: containerId => {
        const node = projection.nodes.get(projection.containers.get(containerId)?.nodeId ?? '');
        return node && conductorGroupOf(projection, node.declared);
      },
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map(subscription => subscription.close()));
  }
}
