import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { commandSubject } from '@stave/contracts';
import { processRegistry, type Messaging } from '@stave/platform';
import { Gauge, Histogram } from 'prom-client';
import { sharedResult } from './shared-result.js';
import { EventStreams } from '../events/event-streams.js';
import { MESSAGING } from '../gateway.tokens.js';
import { member } from '../http/members.js';

interface ConductorFigures {
  readonly load: number;
  readonly staleReports: number;
  readonly suspectedLosses?: number;
  readonly suspectedContainerLosses?: number;
}

const CONDUCTORS_MS = 1_000;
const conductorList = {
  meta: { correlationId: 'metrics', actor: { keyId: 'gateway', role: 'reader', project: null } },
  body: { limit: 500, filter: {} },
} as const;

/** The metrics of one gateway, readable without a key: they carry no project, name or id. They are in a registry of their own because a process can run several gateways. */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  private readonly registry = processRegistry();
  private readonly durations: Histogram<'method' | 'route' | 'status'>;
  private readonly live: Gauge;
  private readonly load: Gauge;
  private readonly stale: Gauge;
  private readonly suspected: Gauge;
  private readonly suspectedContainers: Gauge;

  constructor(
    streams: EventStreams,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {
    const registers = [this.registry];
    this.durations = new Histogram({
      name: 'stave_http_request_duration_seconds',
      help: 'Time from the request to the end of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    });
    const readers: Gauge = new Gauge({
      name: 'stave_event_stream_readers',
      help: 'Open event streams',
      registers,
      collect: () => readers.set(streams.count),
    });
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
    this.live = gauge('stave_conductors', 'Conductors that are live or draining');
    this.load = gauge('stave_conductor_load', 'Tasks that all conductors hold');
    this.stale = gauge('stave_conductor_stale_reports', 'Reports refused because their claim was not current');
    this.suspected = gauge(
      'stave_mass_loss_suspected_nodes',
      'Missing nodes that are not rebuilt: too many are missing at once',
    );
    this.suspectedContainers = gauge(
      'stave_mass_loss_suspected_containers',
      'Missing containers that do not fail: too many are missing at once',
    );
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** `route` is the pattern of the route, without ids. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.durations.observe({ method, route, status: String(status) }, seconds);
  }

  /** Returns the metrics as text; those of conductors are 0 while cluster-service does not answer. Anybody may ask, so calls are shared. */
  readonly text = sharedResult(() => this.render());

  private async render(): Promise<string> {
    const conductors = await this.conductors();
    const sum = (figure: keyof ConductorFigures): number =>
      conductors.reduce((all, one) => all + (one[figure] ?? 0), 0);
    this.live.set(conductors.length);
    this.load.set(sum('load'));
    this.stale.set(sum('staleReports'));
    this.suspected.set(sum('suspectedLosses'));
    this.suspectedContainers.set(sum('suspectedContainerLosses'));
    return this.registry.metrics();
  }

  onApplicationShutdown(): void {
    this.registry.clear();
  }

  private async conductors(): Promise<readonly ConductorFigures[]> {
    const subject = commandSubject('cluster-service', 'conductor', 'list');
    try {
      const reply = await this.messaging.request(subject, conductorList, { timeoutMs: CONDUCTORS_MS });
      const items = member(member(reply, 'data'), 'items');
      return Array.isArray(items) ? items : [];
    } catch {
      return []; // no conductors shows it; the other metrics must stay readable
    }
  }
}
