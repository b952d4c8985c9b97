import { usageSubject, type UsageSamples } from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';

const KEPT = 30;
/** A sample in a flat list of numbers: time in milliseconds, cores, megabytes. Objects would cost ten times as much. */
const WIDTH = 3;
/** A node that nobody has sampled for so long is not known any more. */
const STALE_MS = 60_000;

interface Sample {
  readonly at: string;
  readonly cpuCores: number;
  readonly memoryMb: number;
}

/** What lists show of a node's utilisation: now; `unknown` without a monitor. */
export type Utilisation = 'unknown' | Sample;
/** What one node shows: now and a short history, oldest first. */
export type UtilisationHistory = 'unknown' | (Sample & { readonly history: readonly Sample[] });

/** Telemetry of nodes, in memory only: each replica hears all of it. */
export class NodeUsages {
  private readonly samples = new Map<string, number[]>();
  private prunedAt = 0;

  constructor(
    private readonly exists: (nodeId: string) => boolean,
    private readonly nowMs: () => number = Date.now,
  ) {}

  listen(messaging: Messaging): MessageSubscription {
    return messaging.subscribe(usageSubject, payload => {
      if (isSamples(payload)) this.take(payload);
    });
  }

  take({ at, nodes }: UsageSamples): void {
    const time = Date.parse(at);
    for (const { nodeId, cpuCores, memoryMb } of nodes) {
      const kept = this.samples.get(nodeId) ?? [];
      if (kept.length === 0) {
        if (!this.exists(nodeId)) continue;
        this.samples.set(nodeId, kept);
      }
      if (kept.length >= KEPT * WIDTH) kept.splice(0, WIDTH);
      kept.push(time, cpuCores, memoryMb);
    }
    this.prune(time);
  }

  /** When it was sampled last, in milliseconds; undefined when that is not known or too long ago. */
  lastTime(nodeId: string): number | undefined {
    const time = this.samples.get(nodeId)?.at(-WIDTH);
    if (time === undefined || !this.exists(nodeId) || this.nowMs() - time > STALE_MS) return undefined;
    return time;
  }

  now(nodeId: string): Utilisation {
    if (this.lastTime(nodeId) === undefined) return 'unknown';
    return samplesIn((this.samples.get(nodeId) ?? []).slice(-WIDTH))[0] ?? 'unknown';
  }

  of(nodeId: string): UtilisationHistory {
    const now = this.now(nodeId);
    return now === 'unknown' ? now : { ...now, history: samplesIn(this.samples.get(nodeId) ?? []) };
  }

  /** Samples come in parts: not with each of them. */
  private prune(time: number): void {
    if (time - this.prunedAt < STALE_MS) return;
    this.prunedAt = time;
    for (const nodeId of this.samples.keys()) if (!this.exists(nodeId)) this.samples.delete(nodeId);
  }
}

function samplesIn(kept: readonly number[]): readonly Sample[] {
  return Array.from({ length: kept.length / WIDTH }, (_, i) => {
    const [time = 0, cpuCores = 0, memoryMb = 0] = kept.slice(i * WIDTH, (i + 1) * WIDTH);
    return { at: new Date(time).toISOString(), cpuCores, memoryMb };
  });
}

function isSamples(payload: unknown): payload is UsageSamples {
  return typeof payload === 'object' && payload !== null && 'nodes' in payload && Array.isArray(payload.nodes);
}
