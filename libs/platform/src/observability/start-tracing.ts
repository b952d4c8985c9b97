import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from './logger.js';
import { enableTracing } from './tracing.js';
import { reportTracingProblems } from './tracing-problems.js';

/** How long the end of a process waits for a collector that takes the last spans. */
const LAST_SPANS_MS = 2_000;

export interface Tracing {
  /** Sends what is left. */
  close(): Promise<void>;
}

const off: Tracing = { close: () => Promise.resolve() };

/**
 * Sends the spans of this process to a collector that takes OTLP over HTTP; the SDK is loaded only then. `endpoint`: its URL without
 * `/v1/traces`; empty: nothing is recorded. The SDK reads OpenTelemetry's own variables for the rest, such as OTEL_TRACES_SAMPLER. What it reports about itself, such as spans that are not
 * exported, is counted and goes to the log.
 */
export async function startTracing(service: string, endpoint: string, log: Pick<Logger, 'warn'>): Promise<Tracing> {
  if (endpoint === '') return off;
  const [{ NodeTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const endReports = reportTracingProblems(log);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'stave' }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  enableTracing();
  return {
    close: async () => {
      enableTracing(false);
      // a collector that is away or does not answer must not keep the process from its end
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, wait(LAST_SPANS_MS, undefined, { ref: false })]);
      endReports();
    },
  };
}
