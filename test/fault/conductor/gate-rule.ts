/** A call to the fake cloud as the gate sees it. */
export interface GatedCall {
  readonly call: 'create' | 'remove' | 'act' | 'find' | 'list' | 'engine';
  /** A task kind, for example `node.create`. */
  readonly operation: string;
  /** For a call about an engine: its name. */
  readonly resourceId: string;
}

/**
 * Where a call is held. `request`: before the cloud receives it. `slow`: the same, and the cloud then takes
 * `latencyMs`. `reply`: after the cloud has executed it, before its answer reaches the conductor. `fail`: every
 * matching call is answered with a failure and not forwarded.
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
  /** Default: the resource of the first matching call. */
  readonly resourceId?: string;
  /** The number of matching calls that pass before one is held; default 0. */
  readonly skip?: number;
  /** Whether to hold answers with obstacles instead of answers without. */
  readonly obstructed?: boolean;
}

/** A rule that holds the first matching call. */
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

  /** Returns the resource of the held call. Throws while the rule has matched no call. */
  get resourceId(): string {
    if (this.bound === undefined) throw new Error(`no call of ${this.options.operation} has matched the rule yet`);
    return this.bound;
  }

  /** Whether a call was held. */
  get reached(): boolean {
    return this.stops > 0;
  }

  /** Forwards the held call. */
  open(): void {
    this.go();
  }

  /** Returns whether the call matches, and binds the rule to the resource of the first match. */
  takes({ call, operation, resourceId }: GatedCall): boolean {
    const { options } = this;
    if (options.operation !== operation || options.call !== call) return false;
    if (this.reached && options.stop.at !== 'fail') return false;
    if (this.bound !== undefined && this.bound !== resourceId) return false;
    this.bound = resourceId;
    return this.passed++ >= (options.skip ?? 0);
  }

  /** Returns whether the answer is one that the rule holds. */
  takesAnswer(text: string): boolean {
    const answer: unknown = JSON.parse(text);
    const obstructed = typeof answer === 'object' && answer !== null && 'obstacles' in answer;
    return obstructed === (this.options.obstructed ?? false);
  }

  /** Resolves when the rule is opened. */
  wait(): Promise<void> {
    this.stops += 1;
    return this.going;
  }
}
