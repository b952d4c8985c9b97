import { usageSubject, type UsageSamples } from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';

const KEPT = 30;
/** A node that nobody has sampled for so long is not known any more. */
const STALE_MS = 60_000;

interface Sample {
  readonly at: string;
  readonly cpuCores: number;
  readonly memoryMb: number;
}

/** What clients see of a node's utilisation: now and a short history, oldest first; `unknown` without a monitor. */
export type Utilisation = 'unknown' | (Sample & { readonly history: readonly Sample[] });

/** Telemetry of nodes, in memory only: each replica hears all of it. */
export class NodeUsages {
  private readonly samples = new Map<string, Sample[]>();

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
    for (const { nodeId, cpuCores, memoryMb } of nodes) {
      if (!this.exists(nodeId)) continue;
      const kept = this.samples.get(nodeId) ?? [];
      kept.push({ at, cpuCores, memoryMb });
      this.samples.set(nodeId, kept.slice(-KEPT));
    }
    for (const nodeId of this.samples.keys()) if (!this.exists(nodeId)) this.samples.delete(nodeId);
  }

  of(nodeId: string): Utilisation {
    const history = this.samples.get(nodeId) ?? [];
    const last = history.at(-1);
    if (!last || this.nowMs() - Date.parse(last.at) > STALE_MS) return 'unknown';
    return { ...last, history };
  }
}

function isSamples(payload: unknown): payload is UsageSamples {
  return typeof payload === 'object' && payload !== null && 'nodes' in payload && Array.isArray(payload.nodes);
}
