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
const request = {
  meta: { correlationId: 'metrics', actor: { keyId: 'gateway', role: 'reader', project: null } },
  body: { limit: 500, filter: {} },
} as const;
const labelNames = ['conductor', 'group'] as const;

/** Gauges of the conductors, requested from cluster-service when metrics are read; absent while it does not answer. */
@Injectable()
export class ConductorGauges {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** Registers the gauges; the function that it returns refreshes them and is called before each reading of the registry. */
  in(registry: Registry): () => Promise<void> {
    const gauge = (name: string, help: string): Gauge<'conductor' | 'group'> =>
      new Gauge({ name, help, labelNames, registers: [registry] });
    const load = gauge('stave_conductor_load', 'Tasks that the conductor holds');
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
      const reply = await this.messaging.request(subject, request, { timeoutMs: ASK_MS });
      return itemsOf(reply);
    } catch {
      return []; // absent gauges show it; the other metrics must stay readable
    }
  }
}

function itemsOf(reply: unknown): readonly ConductorFigures[] {
  const { data } = reply as { readonly data?: { readonly items?: readonly ConductorFigures[] } };
  return data?.items ?? [];
}
