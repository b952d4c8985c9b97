import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { keyUsageSubject, type KeyUses as ReportedUses } from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import { MESSAGING, SETTINGS, type GatewaySettings } from '../gateway.tokens.js';

/** Keys in one message, which is limited to 1 MB. */
const REPORTED_AT_ONCE = 5_000;

/** Reports to cluster-service when keys were used, all of an interval at once. A lost report is made up for by the next use. */
@Injectable()
export class KeyUses implements OnApplicationBootstrap, OnApplicationShutdown {
  /** In milliseconds since 1970, by key. */
  private readonly used = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.report(), this.settings.keyUseReportMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.report();
  }

  note(keyId: string): void {
    this.used.set(keyId, Date.now());
  }

  private report(): void {
    const uses = [...this.used].map(([id, at]) => [id, new Date(at).toISOString()] as const);
    this.used.clear();
    for (let from = 0; from < uses.length; from += REPORTED_AT_ONCE) {
      const report: ReportedUses = { uses: Object.fromEntries(uses.slice(from, from + REPORTED_AT_ONCE)) };
      this.messaging.publish(keyUsageSubject, report);
    }
  }
}
