import { staleSubject } from '@stave/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { Messaging } from '@stave/platform';
import { MESSAGING } from '@stave/service-kit';

/** Conductors whose reports are counted: the ids of those that came and went must not stay for ever. */
const MOST_CONDUCTORS = 1_024;

/** Counts the reports that services refused since this process started, by conductor: of those that were refused last. */
@Injectable()
export class StaleReports {
  private readonly counts = new Map<string, number>();

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    messaging.subscribe(staleSubject, payload => {
      const { conductor } = payload as { readonly conductor: string };
      const count = this.of(conductor) + 1;
      this.counts.delete(conductor);
      this.counts.set(conductor, count);
      const [oldest] = this.counts.keys();
      if (this.counts.size > MOST_CONDUCTORS && oldest !== undefined) this.counts.delete(oldest);
    });
  }

  of(conductor: string): number {
    return this.counts.get(conductor) ?? 0;
  }
}
