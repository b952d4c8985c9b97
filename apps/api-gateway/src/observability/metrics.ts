import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { EventStreams } from '../events/event-streams.js';
import { ConductorGauges } from './conductor-gauges.js';

/** The metrics of one gateway, in a registry of their own because a process can run several gateways. */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  private readonly registry = new Registry();
  private readonly durations: Histogram<'method' | 'route' | 'status'>;
  private readonly askConductors: () => Promise<void>;

  constructor(streams: EventStreams, conductors: ConductorGauges) {
    collectDefaultMetrics({ register: this.registry });
    this.durations = new Histogram({
      name: 'stave_http_request_duration_seconds',
      help: 'Time from the request to the end of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [this.registry],
    });
    new Gauge({
      name: 'stave_event_stream_readers',
      help: 'Open event streams',
      registers: [this.registry],
      collect() {
        this.set(streams.count);
      },
    });
    this.askConductors = conductors.in(this.registry);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** `route` is the pattern of the route, without ids. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.durations.observe({ method, route, status: String(status) }, seconds);
  }

  async text(): Promise<string> {
    await this.askConductors();
    return this.registry.metrics();
  }

  onApplicationShutdown(): void {
    this.registry.clear();
  }
}
