import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { commandSubject } from '@stave/contracts';
import { gauge, processMetrics, timings, type Messaging } from '@stave/platform';
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

const requestSeconds = timings({
  name: 'stave_http_request_duration_seconds',
  help: 'Time from the request to the end of its answer; `route` is the pattern of the path',
  labels: ['method', 'route', 'status'],
});
const readers = gauge({ name: 'stave_event_stream_readers', help: 'Open event streams', labels: [] });
const ofConductors = (name: string, help: string) => gauge({ name, help, labels: [] }, 'highest');
const live = ofConductors(
  'stave_conductors',
  'Conductors that are live or draining, as cluster-service says; 0 while it does not answer',
);
const load = ofConductors('stave_conductor_load', 'Tasks that all conductors hold');
const stale = ofConductors('stave_conductor_stale_reports', 'Reports refused because their claim was not current');
const suspected = ofConductors(
  'stave_mass_loss_suspected_nodes',
  'Missing nodes that are not rebuilt: too many are missing at once',
);
const suspectedContainers = ofConductors(
  'stave_mass_loss_suspected_containers',
  'Missing containers that do not fail: too many are missing at once',
);

/** The metrics of a gateway and of everything else in its process, readable without a key: they carry no project, name or id. */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  private readonly exposition = processMetrics();
  private conductors: readonly ConductorFigures[] = [];
  private readonly forget: readonly (() => void)[];

  constructor(
    streams: EventStreams,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {
    this.forget = [
      readers.from({}, streams, ({ count }) => count),
      live.from({}, this, ({ conductors }) => conductors.length),
      load.from({}, this, metrics => metrics.sum('load')),
      stale.from({}, this, metrics => metrics.sum('staleReports')),
      suspected.from({}, this, metrics => metrics.sum('suspectedLosses')),
      suspectedContainers.from({}, this, metrics => metrics.sum('suspectedContainerLosses')),
    ];
  }

  get contentType(): string {
    return this.exposition.contentType;
  }

  /** `route` is the pattern of the route, without ids. */
  observe(method: string, route: string, status: number, seconds: number): void {
    requestSeconds({ method, route, status: String(status) }, seconds);
  }

  /** Returns the metrics as text; those of conductors are 0 while cluster-service does not answer. Anybody may ask, so calls are shared. */
  readonly text = sharedResult(() => this.render());

  private async render(): Promise<string> {
    this.conductors = await this.present();
    return this.exposition.text();
  }

  private sum(figure: keyof ConductorFigures): number {
    return this.conductors.reduce((all, one) => all + (one[figure] ?? 0), 0);
  }

  onApplicationShutdown(): void {
    for (const forget of this.forget) forget();
  }

  private async present(): Promise<readonly ConductorFigures[]> {
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
