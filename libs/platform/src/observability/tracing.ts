import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Link,
  type Span,
} from '@opentelemetry/api';

/** Whether spans are recorded. It is set once, before the process answers requests. */
let enabled = false;

export const isTracing = (): boolean => enabled;

export const enableTracing = (on = true): void => {
  enabled = on;
};

const tracer = () => trace.getTracer('stave');

/** What belongs to the same work as a span without being its parent: the `traceparent` of a command. */
type Cause = string | undefined;

export interface SpanOptions {
  readonly attributes?: Attributes;
  readonly kind?: 'server' | 'client' | 'internal';
  /** The `traceparent` of the span above it, from a message or a header; absent: the current span. */
  readonly parent?: string | undefined;
  /** Begins a trace of its own. */
  readonly root?: boolean;
  readonly links?: readonly Cause[];
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
const FORM = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Runs `work` in a span that ends with it. Without tracing it only runs the work. Attributes are kinds, categories, outcomes and ids of resources: never
 * bodies, headers or texts of users.
 */
export function traced<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  return enabled ? recorded(name, options, work) : work(undefined);
}

async function recorded<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const { span, within } = begin(name, options);
  try {
    return await context.with(within, () => work(span));
  } catch (error) {
    // only the kind of error: its message may have what users sent
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}

/** Begins a span that the caller ends; `within` is the context in which its work runs. */
export function begin(name: string, options: SpanOptions): { readonly span: Span; readonly within: Context } {
  const { attributes = {}, kind = 'internal', links = [] } = options;
  const above = options.root ? ROOT_CONTEXT : parentOf(options.parent);
  const span = tracer().startSpan(name, { kind: kinds[kind], attributes, links: links.flatMap(linkTo) }, above);
  return { span, within: trace.setSpan(above, span) };
}

function parentOf(traceparent: string | undefined): Context {
  const parent = contextIn(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : context.active();
}

function contextIn(traceparent: string | undefined) {
  const [, traceId = '', spanId = '', flags = ''] = FORM.exec(traceparent ?? '') ?? [];
  const found = { traceId, spanId, traceFlags: parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(found) ? found : undefined;
}

const linkTo = (cause: Cause): readonly Link[] => {
  const found = contextIn(cause);
  return found ? [{ context: found }] : [];
};

/** Whether the current work is part of a trace. */
export const isTraced = (): boolean => enabled && trace.getActiveSpan() !== undefined;

/** Returns the `traceparent` (W3C Trace Context) of the current span, for messages and events; undefined without one. */
export function traceparent(span: Span | undefined = enabled ? trace.getActiveSpan() : undefined): string | undefined {
  if (!span) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Runs `work` in a context that `begin` has returned. */
export const within = <T>(of: Context, work: () => T): T => context.with(of, work);
