const SECOND_MS = 1_000;
/** After a longer pause of the process, what was missed shows nothing of the present: each set is called once then. */
const MISSED_SECONDS = 60;

/** Calls sets at instants of whole seconds. A tick looks only at what is due. */
export class EvaluationSchedule {
  private readonly dueAt = new Map<string, number>();
  private readonly bySecond = new Map<number, Set<string>>();
  /** The second up to which everything was called. */
  private done: number;
  private timer: NodeJS.Timeout | undefined;

  /** `call` gets the instant for which the set was planned, in milliseconds, and plans the next one. */
  constructor(
    private readonly call: (id: string, dueMs: number) => void,
    private readonly nowMs: () => number = Date.now,
  ) {
    this.done = this.second;
  }

  /** The instant up to which everything was called, in milliseconds. */
  get doneMs(): number {
    return this.done * SECOND_MS;
  }

  /** Plans the next call of the id, in place of an earlier plan. Undefined: it is not called any more. */
  plan(id: string, dueMs: number | undefined): void {
    const before = this.dueAt.get(id);
    if (before !== undefined) this.bySecond.get(before)?.delete(id);
    if (dueMs === undefined) return void this.dueAt.delete(id);
    const second = Math.max(Math.ceil(dueMs / SECOND_MS), this.done + 1);
    this.dueAt.set(id, second);
    const due = this.bySecond.get(second);
    if (due) due.add(id);
    else this.bySecond.set(second, new Set([id]));
  }

  start(): void {
    this.timer = setTimeout(
      () => {
        this.tick();
        this.start();
      },
      SECOND_MS - (this.nowMs() % SECOND_MS),
    );
    this.timer.unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Calls everything that is due. */
  tick(): void {
    const now = this.second;
    if (now - this.done > MISSED_SECONDS) this.skipTo(now - 1);
    while (this.done < now) {
      this.done += 1;
      const due = this.bySecond.get(this.done);
      this.bySecond.delete(this.done);
      for (const id of due ?? []) {
        this.dueAt.delete(id);
        this.call(id, this.doneMs);
      }
    }
  }

  private skipTo(second: number): void {
    this.done = second;
    for (const [id, due] of [...this.dueAt]) if (due <= second) this.plan(id, 0);
    for (const due of this.bySecond.keys()) if (due <= second) this.bySecond.delete(due);
  }

  private get second(): number {
    return Math.floor(this.nowMs() / SECOND_MS);
  }
}
