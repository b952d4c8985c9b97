import { staleSubject } from '@stave/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { Messaging } from '@stave/platform';
import { MESSAGING } from '@stave/service-kit';

/** Counts the reports that services refused since this process started, by conductor. */
@Injectable()
export class StaleReports {
  private readonly counts = new Map<string, number>();

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    messaging.subscribe(staleSubject, payload => {
      const { conductor } = payload as { readonly conductor: string };
      this.counts.set(conductor, this.of(conductor) + 1);
    });
  }

  of(conductor: string): number {
    return this.counts.get(conductor) ?? 0;
  }
}
