/** The tasks that are being retried, in the order of their first failures. */
export class RetryingTasks {
  private readonly since = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  get size(): number {
    return this.since.size;
  }

  /** Milliseconds since the first failure of the one that has been retried for longest; 0 without one. */
  get oldestMs(): number {
    for (const at of this.since.values()) return Math.max(0, this.now() - at);
    return 0;
  }

  /** Notes whether the task of a resource is retried now. */
  note(id: string, isRetried: boolean): void {
    if (!isRetried) this.since.delete(id);
    else if (!this.since.has(id)) this.since.set(id, this.now());
  }
}
