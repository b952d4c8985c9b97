import { Inject, Injectable } from '@nestjs/common';
import { commandSubject } from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import { Gauge, type Registry } from 'prom-client';
import { MESSAGING } from '../gateway.tokens.js';

interface ConductorFigures {
  readonly id: string;
  readonly group: string;
  readonly load: number;
  readonly staleReports: number;
}

const ASK_MS = 1_000;
const labelNames = ['conductor', 'group'] as const;

/** What cluster-service knows of the conductors, asked when metrics are read; where it does not answer, there are none of these. */
@Injectable()
export class ConductorGauges {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** Before each reading of the registry. */
  in(registry: Registry): () => Promise<void> {
    const gauge = (name: string, help: string): Gauge<'conductor' | 'group'> =>
      new Gauge({ name, help, labelNames, registers: [registry] });
    const load = gauge('stave_conductor_load', 'Tasks that the conductor is at');
    const stale = gauge('stave_conductor_stale_reports', 'Reports refused because their claim was not current');
    return async () => {
      load.reset();
      stale.reset();
      for (const { id, group, ...figures } of await this.conductors()) {
        load.set({ conductor: id, group }, figures.load);
        stale.set({ conductor: id, group }, figures.staleReports);
      }
    };
  }

  private async conductors(): Promise<readonly ConductorFigures[]> {
    const subject = commandSubject('cluster-service', 'conductor', 'list');
    try {
      const reply = await this.messaging.request(subject, { body: {} }, { timeoutMs: ASK_MS });
      return itemsOf(reply);
    } catch {
      return []; // a gauge that is absent says so; the other metrics must be read all the same
    }
  }
}

function itemsOf(reply: unknown): readonly ConductorFigures[] {
  const { data } = reply as { readonly data?: { readonly items?: readonly ConductorFigures[] } };
  return data?.items ?? [];
}
