/** Ids in groups, each in one group at most. */
export class IdGroups {
  private readonly groups = new Map<string, Set<string>>();
  private readonly places = new Map<string, string>();
  readonly folded = { groups: this.groups, places: this.places };

  /** Puts the id into the group and out of the one that it was in; `undefined`: into none. */
  put(id: string, group: string | undefined): void {
    const before = this.places.get(id);
    if (before === group) return;
    if (before !== undefined) this.takeOut(id, before);
    if (group === undefined) return void this.places.delete(id);
    this.places.set(id, group);
    const ids = this.groups.get(group) ?? new Set();
    this.groups.set(group, ids);
    ids.add(id);
  }

  /** A copy, so that it can be gone through while it changes. */
  in(group: string): readonly string[] {
    return [...(this.groups.get(group) ?? [])];
  }

  private takeOut(id: string, group: string): void {
    const ids = this.groups.get(group);
    ids?.delete(id);
    if (ids?.size === 0) this.groups.delete(group);
  }
}
