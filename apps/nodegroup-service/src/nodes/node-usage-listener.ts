import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { usageSubject, type UsageSamples } from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';
import { MESSAGING } from '@stave/service-kit';
import { NodeUsages } from './node-usage.js';

/** Receives the samples that conductors publish. Every replica receives all of them. */
@Injectable()
export class NodeUsageListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private subscription: MessageSubscription | undefined;

  constructor(
    private readonly usages: NodeUsages,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  onApplicationBootstrap(): void {
    this.subscription = this.messaging.subscribe(usageSubject, payload => {
      if (isSamples(payload)) this.usages.add(payload);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.subscription?.close();
  }
}

function isSamples(payload: unknown): payload is UsageSamples {
  return typeof payload === 'object' && payload !== null && 'nodes' in payload && Array.isArray(payload.nodes);
}
