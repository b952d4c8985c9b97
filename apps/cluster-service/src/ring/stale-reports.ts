import { staleSubject } from '@stave/contracts';
import type { Messaging } from '@stave/platform';

/** How many reports of each conductor services have refused since this process started. */
export class StaleReports {
  private readonly counts = new Map<string, number>();

  constructor(messaging: Messaging) {
    messaging.subscribe(staleSubject, payload => {
      const { conductor } = payload as { readonly conductor: string };
      this.counts.set(conductor, this.of(conductor) + 1);
    });
  }

  of(conductor: string): number {
    return this.counts.get(conductor) ?? 0;
  }
}
