import { getOrCreate } from '@stave/domain';

/** The part of a model that is indexed: ids in the order in which they came, which never disappear. */
export interface NamedIds<S> {
  readonly size: number;
  ids(): Iterable<string>;
  get(id: string): S | undefined;
}

/** Finds resources by name. Names do not change, so each resource is read once; those that are not created yet are read every time. */
export class NameIndex<S> {
  private readonly byName = new Map<string, string[]>();
  private unnamed: string[] = [];
  private seen = 0;

  constructor(
    private readonly model: NamedIds<S>,
    private readonly nameOf: (state: S) => string | undefined,
  ) {}

  /** Returns every resource that has or had this name, without regard to case. */
  idsOf(name: string): readonly string[] {
    for (const id of this.unnamed.splice(0)) this.add(id);
    if (this.model.size !== this.seen) this.addNew();
    return this.byName.get(name.toLowerCase()) ?? [];
  }

  private addNew(): void {
    let at = 0;
    for (const id of this.model.ids()) {
      at += 1;
      if (at > this.seen) this.add(id);
    }
    this.seen = at;
  }

  private add(id: string): void {
    const state = this.model.get(id);
    const name = state === undefined ? undefined : this.nameOf(state)?.toLowerCase();
    if (name === undefined) this.unnamed.push(id);
    else getOrCreate(this.byName, name, () => []).push(id);
  }
}
