/** Ids in groups; each id is in one group at most. */
export class GroupedIds {
  private readonly groups = new Map<string, Set<string>>();
  private readonly groupOf = new Map<string, string>();
  readonly folded = { groups: this.groups, groupOf: this.groupOf };

  /** Moves the id into the group; `undefined` removes it from its group. */
  put(id: string, group: string | undefined): void {
    const before = this.groupOf.get(id);
    if (before === group) return;
    if (before !== undefined) this.remove(id, before);
    if (group === undefined) return void this.groupOf.delete(id);
    this.groupOf.set(id, group);
    const ids = this.groups.get(group) ?? new Set();
    this.groups.set(group, ids);
    ids.add(id);
  }

  /** Returns a copy: callers change the group while they iterate. */
  in(group: string): readonly string[] {
    return [...(this.groups.get(group) ?? [])];
  }

  sizeOf(group: string): number {
    return this.groups.get(group)?.size ?? 0;
  }

  private remove(id: string, group: string): void {
    const ids = this.groups.get(group);
    ids?.delete(id);
    if (ids?.size === 0) this.groups.delete(group);
  }
}
