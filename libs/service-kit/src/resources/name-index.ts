/** What of a model is checked: ids in the order in which they came, which stay. */
export interface NamedIds<S> {
  readonly size: number;
  ids(): Iterable<string>;
  get(id: string): S | undefined;
}

/** Names do not change, so each resource is checked once; those that are not made yet, each time. */
export class NameIndex<S> {
  private readonly byName = new Map<string, string[]>();
  private open: string[] = [];
  private seen = 0;

  constructor(
    private readonly model: NamedIds<S>,
    private readonly nameOf: (state: S) => string | undefined,
  ) {}

  /** Everything that has or had this name, without regard to case. */
  idsOf(name: string): readonly string[] {
    const open = this.open;
    this.open = [];
    for (const id of open) this.take(id);
    if (this.model.size !== this.seen) this.takeNew();
    return this.byName.get(name.toLowerCase()) ?? [];
  }

  private takeNew(): void {
    let at = 0;
    for (const id of this.model.ids()) {
      at += 1;
      if (at > this.seen) this.take(id);
    }
    this.seen = at;
  }

  private take(id: string): void {
    const state = this.model.get(id);
    const name = state === undefined ? undefined : this.nameOf(state)?.toLowerCase();
    if (name === undefined) {
      this.open.push(id);
      return;
    }
    const known = this.byName.get(name);
    if (known) known.push(id);
    else this.byName.set(name, [id]);
  }
}
