import { Controller, Inject } from '@nestjs/common';
import { omitUndefined } from '@stave/domain';
import type { EventStore, Messaging } from '@stave/platform';
import { setTimeout } from 'node:timers/promises';
import { EVENT_STORE, MESSAGING, SETTINGS, type GatewaySettings } from '../gateway.tokens.js';
import { Metrics } from './metrics.js';
import { sharedResult } from './shared-result.js';
import { serviceRoutes as routes } from '../routes/service.routes.js';
import { ok, type Answer } from '../http/answer.js';
import { Handles } from '../http/call.js';

const PING_MS = 2000;

const check = (ping: () => Promise<void>): Promise<'ok' | 'down'> => {
  const answered = ping().then(
    () => 'ok' as const,
    () => 'down' as const,
  );
  return Promise.race([answered, setTimeout(PING_MS, 'down' as const, { ref: false })]);
};

@Controller()
export class ProbesController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Pick<GatewaySettings, 'eventsProblem'>,
  ) {}

  /** Anybody may ask, however often: requests at the same time share their checks. */
  private readonly checks = sharedResult(() =>
    Promise.all([check(() => this.messaging.ping()), check(() => this.eventStore.ping())]),
  );

  @Handles(routes.healthz)
  healthz(): Answer {
    return ok({ status: 'ok' });
  }

  @Handles(routes.readyz)
  async readyz(): Promise<Answer> {
    const [messaging, eventStore] = await this.checks();
    const events = this.settings.eventsProblem?.();
    const ready = messaging === 'ok' && eventStore === 'ok' && events === undefined;
    const body = { status: ready ? 'ok' : 'down', checks: { messaging, eventStore, ...omitUndefined({ events }) } };
    return ready ? ok(body) : { status: 503, headers: { 'Retry-After': '1' }, body };
  }

  @Handles(routes.metrics)
  async exposition(): Promise<Answer> {
    return ok(await this.metrics.text(), { 'Content-Type': this.metrics.contentType });
  }
}
