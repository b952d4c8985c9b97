/** A call to the fake cloud as it passes the gate. */
export interface GatedCall {
  readonly call: 'create' | 'remove' | 'act' | 'find' | 'list';
  /** `node.create` */
  readonly operation: string;
  readonly resourceId: string;
}

/**
 * Where a call is held. `request`: the cloud has not heard of it. `slow`: the same; once let go the cloud takes its time for it.
 * `reply`: the cloud has done it, and its answer is on the way. `fail`: it is answered with a failure, each time.
 */
export type Stop =
  | { readonly at: 'request' }
  | { readonly at: 'slow'; readonly latencyMs: number }
  | { readonly at: 'reply' }
  | { readonly at: 'fail'; readonly failure: 'transient' | 'permanent' };

export interface RuleOptions {
  readonly operation: string;
  readonly call: GatedCall['call'];
  readonly stop: Stop;
  /** Absent: of the first resource of which there is such a call. */
  readonly resourceId?: string;
  /** So many calls of that resource pass before; default 0. */
  readonly skip?: number;
  /** Only answers that name obstacles, or that name none; default none. */
  readonly obstructed?: boolean;
}

/** Stops the first call that it is about. */
export class GateRule {
  private readonly going: Promise<void>;
  private go: () => void = () => undefined;
  private bound: string | undefined;
  private stops = 0;
  private passed = 0;

  constructor(readonly options: RuleOptions) {
    this.bound = options.resourceId;
    this.going = new Promise(resolve => (this.go = resolve));
  }

  /** Of the call that it stopped, or is to stop. Throws while it waits for any. */
  get resourceId(): string {
    if (this.bound === undefined) throw new Error(`no ${this.options.operation} has come by yet`);
    return this.bound;
  }

  /** A call is or was held here. */
  get reached(): boolean {
    return this.stops > 0;
  }

  /** Lets the call continue. */
  open(): void {
    this.go();
  }

  /** Whether it is about this call; from then on about its resource only. */
  takes({ call, operation, resourceId }: GatedCall): boolean {
    const { options } = this;
    if (options.operation !== operation || options.call !== call) return false;
    if (this.reached && options.stop.at !== 'fail') return false;
    if (this.bound !== undefined && this.bound !== resourceId) return false;
    this.bound = resourceId;
    return this.passed++ >= (options.skip ?? 0);
  }

  /** Whether the answer is one that it stops. */
  takesAnswer(text: string): boolean {
    const answer: unknown = JSON.parse(text);
    const obstructed = typeof answer === 'object' && answer !== null && 'obstacles' in answer;
    return obstructed === (this.options.obstructed ?? false);
  }

  /** Resolves once it is open. */
  wait(): Promise<void> {
    this.stops += 1;
    return this.going;
  }
}
