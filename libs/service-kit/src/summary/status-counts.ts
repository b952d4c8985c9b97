import { setImmediate } from 'node:timers/promises';

/** What is counted of a resource. */
export interface Counted {
  readonly status: string;
  readonly projectId: string;
}

export type StatusNumbers = Readonly<Record<string, number>>;

/** Resources that are counted before other work gets its turn. */
const TURN = 500;

/**
 * How many resources of one type have each status. The first question counts all that are in memory; from then on a question looks only at
 * those that have changed since the last one. Nothing is kept before the first question.
 */
export class StatusCounts {
  private readonly counted = new Map<string, Counted>();
  private readonly numbers = new Map<string, Map<string, number>>();
  private changed: Set<string> | undefined;
  private counting: Promise<void> | undefined;

  constructor(
    private readonly ids: () => Iterable<string>,
    /** Returns undefined for a resource that is not counted any more. */
    private readonly look: (id: string) => Counted | undefined,
  ) {}

  /** Reports that the resource may have changed. */
  mark(id: string): void {
    this.changed?.add(id);
  }

  /** Returns the numbers of these projects together; null: of all projects. */
  async of(projectIds: readonly string[] | null): Promise<StatusNumbers> {
    await this.counting; // it may have passed what this question must see
    await (this.counting ??= this.count().finally(() => (this.counting = undefined)));
    const sums = new Map<string, number>();
    const chosen = projectIds?.map(id => this.numbers.get(id) ?? new Map<string, number>());
    for (const numbers of chosen ?? this.numbers.values())
      for (const [status, number] of numbers) sums.set(status, (sums.get(status) ?? 0) + number);
    return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private async count(): Promise<void> {
    const due = this.changed;
    const since = new Set<string>();
    this.changed = since;
    try {
      await this.lookAt(due ?? [...this.ids()]);
    } catch (error) {
      if (due) for (const id of due) since.add(id);
      else this.changed = undefined;
      throw error;
    }
  }

  private async lookAt(ids: Iterable<string>): Promise<void> {
    let looked = 0;
    for (const id of ids) {
      this.put(id, this.look(id));
      if (++looked % TURN === 0) await setImmediate();
    }
  }

  private put(id: string, next: Counted | undefined): void {
    const known = this.counted.get(id);
    if (known?.status === next?.status && known?.projectId === next?.projectId) return;
    if (known) this.add(known, -1);
    if (!next) return void this.counted.delete(id);
    const { status, projectId } = next;
    this.counted.set(id, { status, projectId });
    this.add(next, 1);
  }

  private add({ projectId, status }: Counted, number: 1 | -1): void {
    const numbers = this.numbers.get(projectId) ?? new Map<string, number>();
    const sum = (numbers.get(status) ?? 0) + number;
    if (sum === 0) numbers.delete(status);
    else numbers.set(status, sum);
    if (numbers.size === 0) this.numbers.delete(projectId);
    else this.numbers.set(projectId, numbers);
  }
}
