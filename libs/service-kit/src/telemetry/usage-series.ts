const HOUR_MS = 3_600_000;
/** Numbers per sample: seconds since the base of the series, cores, MiB. */
const WIDTH = 3;
/** V8 keeps this many numbers in its heap; more of them take an allocation of their own. */
const FIRST_CAPACITY = 5;
const GROWTH = 1.5;

export interface UsageValues {
  readonly cpuCores: number;
  readonly memoryMb: number;
}

/** What the samples of a window show; without a sample the values are null, which is not zero. */
export interface UsageWindow {
  /** Seconds. */
  readonly window: number;
  /** The number of samples in the window. */
  readonly samples: number;
  /** Whether the last sample is so recent that it shows the present. */
  readonly known: boolean;
  readonly mean: UsageValues | null;
  readonly p95: UsageValues | null;
  readonly max: UsageValues | null;
}

/** The samples of the last hour, at most one per `spacingMs`, in one array that grows with them. Adding one costs the same at any length. */
export class UsageSeries {
  private kept = new Float32Array(FIRST_CAPACITY * WIDTH);
  private first = 0;
  private count = 0;
  private baseMs = 0;
  private lastMs = -Infinity;

  constructor(private readonly spacingMs = 0) {}

  /** The time of the last sample in milliseconds; -Infinity without one. */
  get last(): number {
    return this.lastMs;
  }

  /** Adds a sample; one that follows the last too soon replaces it, and one that is older is ignored. */
  add(timeMs: number, { cpuCores, memoryMb }: UsageValues): void {
    if (timeMs < this.lastMs) return;
    if (this.count === 0) this.baseMs = timeMs;
    const isNew = this.count === 0 || timeMs - this.lastMs >= this.spacingMs;
    if (isNew) this.makeRoom(timeMs);
    const at = this.offset(isNew ? this.count++ : this.count - 1);
    if (isNew) {
      this.kept[at] = (timeMs - this.baseMs) / 1000;
      this.lastMs = timeMs;
    }
    this.kept[at + 1] = cpuCores;
    this.kept[at + 2] = memoryMb;
  }

  /** Returns what the last `windowMs` before `nowMs` show. The last sample shows the present for `freshMs`. */
  over(windowMs: number, nowMs: number, freshMs: number): UsageWindow {
    const cpus: number[] = [];
    const memories: number[] = [];
    for (let i = this.count - 1; i >= 0; i--) {
      const at = this.offset(i);
      if (this.baseMs + (this.kept[at] ?? 0) * 1000 < nowMs - windowMs) break;
      cpus.push(this.kept[at + 1] ?? 0);
      memories.push(this.kept[at + 2] ?? 0);
    }
    const of = (value: (sorted: readonly number[]) => number): UsageValues | null =>
      cpus.length === 0 ? null : { cpuCores: value(cpus), memoryMb: value(memories) };
    cpus.sort((a, b) => a - b);
    memories.sort((a, b) => a - b);
    return {
      window: windowMs / 1000,
      samples: cpus.length,
      known: nowMs - this.lastMs <= freshMs,
      mean: of(values => values.reduce((sum, value) => sum + value, 0) / values.length),
      p95: of(values => values[Math.ceil(0.95 * values.length) - 1] ?? 0),
      max: of(values => values.at(-1) ?? 0),
    };
  }

  /** Returns the mean of the last `windowMs`, at least of the last sample; undefined when that is older than `freshMs`. */
  mean(windowMs: number, nowMs: number, freshMs: number): UsageValues | undefined {
    if (this.count === 0 || nowMs - this.lastMs > freshMs) return undefined;
    let [cpuCores, memoryMb, samples] = [0, 0, 0];
    for (let i = this.count - 1; i >= 0; i--) {
      const at = this.offset(i);
      if (samples > 0 && this.baseMs + (this.kept[at] ?? 0) * 1000 < nowMs - windowMs) break;
      cpuCores += this.kept[at + 1] ?? 0;
      memoryMb += this.kept[at + 2] ?? 0;
      samples += 1;
    }
    return { cpuCores: cpuCores / samples, memoryMb: memoryMb / samples };
  }

  private offset(index: number): number {
    return ((this.first + index) * WIDTH) % this.kept.length;
  }

  /** Drops samples older than an hour; where there are none the array grows. */
  private makeRoom(nowMs: number): void {
    const oldest = (): number => this.baseMs + (this.kept[this.offset(0)] ?? 0) * 1000;
    while (this.count > 0 && oldest() < nowMs - HOUR_MS) {
      this.first = (this.first + 1) % (this.kept.length / WIDTH);
      this.count -= 1;
    }
    if (this.count * WIDTH < this.kept.length) return;
    const larger = new Float32Array(Math.ceil((this.kept.length / WIDTH) * GROWTH) * WIDTH);
    const start = this.first * WIDTH;
    larger.set(this.kept.subarray(start));
    larger.set(this.kept.subarray(0, start), this.kept.length - start);
    this.kept = larger;
    this.first = 0;
  }
}
