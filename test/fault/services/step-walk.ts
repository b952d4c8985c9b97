import type { Crasher } from './crasher.js';
import { StepCounter, type Step } from './steps.js';
import type { SeenAppend, WatchedStore } from './watched-store.js';

/** The appends of one request on a cluster, in the order of their arrival. */
export interface FollowedRequest {
  /** The idempotency key and correlation id of the request. */
  readonly request: string;
  readonly steps: readonly Step[];
  /** Whether the step `after` occurred. */
  readonly crashed: boolean;
  /** Whether the operation of the request ended. */
  readonly ended: boolean;
}

export interface FollowOptions {
  readonly clusterId?: string;
  /** The step after which the victims are killed once. */
  readonly after?: Step;
  /** Names of the processes to kill; default: the service that writes the step. */
  readonly victims?: readonly string[];
  /** Category of the stream in which the operation ends; default `cluster`. */
  readonly endsIn?: string;
}

class Following implements FollowedRequest {
  readonly steps: Step[] = [];
  crashed = false;
  ended = false;
  private readonly counter = new StepCounter();
  private clusterId = this.options.clusterId;

  constructor(
    readonly request: string,
    private readonly options: FollowOptions,
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
    const { after, victims = [step.service], endsIn = 'cluster' } = this.options;
    if (append.stream.startsWith(`${endsIn}-`) && append.types.includes('OperationEnded')) this.ended = true;
    if (this.crashed || step.label !== after?.label || step.nth !== after.nth) return;
    this.crashed = true;
    victims.forEach(crash);
  }
}

/** Follows requests through the log and kills processes exactly between an append and its answer. */
export class StepWalk {
  private readonly following = new Set<Following>();

  constructor(store: WatchedStore, crasher: Crasher) {
    store.onAppend(append => {
      for (const each of this.following) if (each.isOf(append)) each.take(append, name => crasher.crash(name));
    });
  }

  /** Follows a request until `leave` is called. */
  follow(request: string, options: FollowOptions = {}): FollowedRequest {
    const following = new Following(request, options);
    this.following.add(following);
    return following;
  }

  /** Stops following all requests. */
  leave(): void {
    this.following.clear();
  }
}
