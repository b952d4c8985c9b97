import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Logger } from './logger.js';
import { counter } from './stave-metrics.js';

/** Milliseconds between two lines about problems of the export: the exporter tries again and again. */
const QUIET_MS = 60_000;

const countProblem = counter({
  name: 'stave_tracing_problems_total',
  help: 'Problems that OpenTelemetry reported, such as spans that were not exported',
  labels: ['level'],
});

/** Counts what OpenTelemetry reports about itself, and writes at most one line a minute of it to the log. The returned function ends it. */
export function reportTracingProblems(log: Pick<Logger, 'warn'>, quietMs = QUIET_MS): () => void {
  let quietUntil = -Infinity;
  let unsaid = 0;
  const report = (level: 'error' | 'warn') => (message: string) => {
    countProblem({ level });
    if (performance.now() < quietUntil) return void unsaid++;
    quietUntil = performance.now() + quietMs;
    log.warn({ problem: shortOf(message), unsaid }, 'traces are not exported completely');
    unsaid = 0;
  };
  const silent = (): void => undefined;
  const logger = { error: report('error'), warn: report('warn'), info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return () => diag.disable();
}

/** The SDK reports errors as JSON with their stacks. */
function shortOf(message: string): string {
  try {
    const { name, message: text, code } = JSON.parse(message);
    return [name, code, text].filter(Boolean).join(' ').slice(0, 500);
  } catch {
    return message.slice(0, 500);
  }
}
