import type { Crasher } from './crasher.js';
import { StepCounter, type Step } from './steps.js';
import type { SeenAppend, WatchedStore } from './watched-store.js';

/** The work of one request on a cluster, append by append. */
export interface FollowedRequest {
  /** Its idempotency key and correlation id. */
  readonly request: string;
  readonly steps: readonly Step[];
  /** Whether the step to crash after came. */
  readonly crashed: boolean;
  /** Whether its operation ended. */
  readonly ended: boolean;
}

class Following implements FollowedRequest {
  readonly steps: Step[] = [];
  crashed = false;
  ended = false;
  private readonly counter = new StepCounter();

  constructor(
    readonly request: string,
    private clusterId: string | undefined,
    private readonly after: Step | undefined,
  ) {}

  isOf({ metadata }: SeenAppend): boolean {
    const { correlationId, clusterId } = metadata;
    const mine = correlationId === this.request;
    if (mine) this.clusterId ??= clusterId;
    return mine || (clusterId !== undefined && clusterId === this.clusterId);
  }

  take(append: SeenAppend, crash: (service: string) => void): void {
    const step = this.counter.next(append);
    this.steps.push(step);
    if (append.stream.startsWith('cluster-') && append.types.includes('OperationEnded')) this.ended = true;
    const { after } = this;
    if (this.crashed || step.label !== after?.label || step.nth !== after.nth) return;
    this.crashed = true;
    crash(step.service);
  }
}

/** Follows requests through the log and ends a service exactly between an append and its answer. */
export class StepWalk {
  private readonly following = new Set<Following>();

  constructor(store: WatchedStore, crasher: Crasher) {
    store.onAppend(append => {
      for (const each of this.following) if (each.isOf(append)) each.take(append, name => crasher.crash(name));
    });
  }

  /** Until `leave`. With `after` the service that writes this step is killed right after it, once. */
  follow(request: string, { clusterId, after }: { clusterId?: string; after?: Step } = {}): FollowedRequest {
    const following = new Following(request, clusterId, after);
    this.following.add(following);
    return following;
  }

  /** Follows nothing any more. */
  leave(): void {
    this.following.clear();
  }
}
