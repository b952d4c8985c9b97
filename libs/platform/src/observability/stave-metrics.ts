import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What is measured. No label may have a project, a name or an id as its value: `/metrics` is open. */
export interface MetricDefinition<L extends string = string> {
  /** `stave_…`, with the unit at the end. */
  readonly name: string;
  /** What the value means; a row of docs/reference/metrics.md. */
  readonly help: string;
  readonly labels: readonly L[];
}

export interface DeclaredMetric extends MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
}

const declared: DeclaredMetric[] = [];

/** Returns what the modules that are loaded so far have declared. */
export const declaredMetrics = (): readonly DeclaredMetric[] => declared;

type Labels<L extends string> = Readonly<Record<L, string>>;

/** Seconds, for what takes from a quarter of a millisecond to half a minute. */
const SECONDS = [0.00025, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds, for work on the infrastructure. */
export const WORK_SECONDS: readonly number[] = [0.01, 0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1800];

/** The metrics of everything that runs in this process. Whoever measures declares its metrics beside its code. */
export const staveRegistry = new Registry();

/** Declares a counter; its name ends with `_total`. */
export function counter<L extends string>({
  name,
  help,
  labels,
}: MetricDefinition<L>): (labels: Labels<L>, by?: number) => void {
  declared.push({ name, help, labels, type: 'counter' });
  const counted = new Counter<L>({ name, help, labelNames: [...labels], registers: [staveRegistry] });
  return (of, by = 1) => counted.inc(of, by);
}

/** Declares a histogram of seconds; its name ends with `_seconds`. */
export function timings<L extends string>(
  { name, help, labels }: MetricDefinition<L>,
  buckets: readonly number[] = SECONDS,
): (labels: Labels<L>, seconds: number) => void {
  declared.push({ name, help, labels, type: 'histogram' });
  const measured = new Histogram<L>({
    ...{ name, help, labelNames: [...labels], buckets: [...buckets], registers: [staveRegistry] },
  });
  return (of, seconds) => measured.observe(of, seconds);
}

/** Declares a counter with one label whose values are counted elsewhere. */
export function countsOf({ name, help, labels }: MetricDefinition, counts: () => ReadonlyMap<string, number>): void {
  declared.push({ name, help, labels, type: 'counter' });
  const [label = ''] = labels;
  const shown: Counter = new Counter({
    ...{ name, help, labelNames: [label], registers: [staveRegistry] },
    collect: () => {
      shown.reset();
      for (const [value, count] of counts()) shown.inc({ [label]: value }, count);
    },
  });
}

/** What a gauge shows of one of its sources; undefined: nothing now. */
export type Reading = number | undefined;

export interface SourcedGauge<L extends string> {
  /**
   * Adds what shows a value at each scrape, which must be cheap: a size or a number that is kept, never a walk over all resources. The values of
   * several sources with the same labels are combined. A source ends with its owner, which is not kept in memory for it, or by the returned function.
   */
  from<O extends object>(labels: Labels<L>, owner: O, read: (owner: O) => Reading): () => void;
}

interface Source<L extends string> {
  readonly labels: Labels<L>;
  read(): Reading;
}

/** How the values of several sources with the same labels become one. */
const combined = {
  sum: (a: number, b: number) => a + b,
  highest: Math.max,
  lowest: Math.min,
};

/** Declares a gauge whose values are read when it is scraped. */
export function gauge<L extends string>(
  { name, help, labels }: MetricDefinition<L>,
  combine: keyof typeof combined = 'sum',
): SourcedGauge<L> {
  declared.push({ name, help, labels, type: 'gauge' });
  const sources = new Map<symbol, Source<L>>();
  const ended = new FinalizationRegistry<symbol>(key => void sources.delete(key));
  const keyOf = (of: Labels<L>): string => labels.map(label => of[label]).join('\n');
  const shown: Gauge<L> = new Gauge<L>({
    ...{ name, help, labelNames: [...labels], registers: [staveRegistry] },
    collect: () => {
      const values = new Map<string, readonly [labels: Labels<L>, value: number]>();
      for (const source of sources.values()) {
        const value = source.read();
        if (value === undefined) continue;
        const key = keyOf(source.labels);
        const known = values.get(key);
        values.set(key, [source.labels, known ? combined[combine](known[1], value) : value]);
      }
      shown.reset();
      // a gauge without labels would show 0 although nothing is known
      if (labels.length === 0 && values.size === 0) shown.remove();
      for (const [of, value] of values.values()) shown.set(of, value);
    },
  });
  return {
    from: (of, owner, read) => {
      const key = Symbol(name);
      const weak = new WeakRef(owner);
      const reading = (): Reading => {
        const living = weak.deref();
        return living && read(living);
      };
      sources.set(key, { labels: of, read: reading });
      ended.register(owner, key);
      return () => void sources.delete(key);
    },
  };
}
