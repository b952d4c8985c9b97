/** The ids that changed last, each with the position of its last event. Older changes are forgotten, so that the size is limited. */
export class RecentChanges {
  /** In the order of the positions. */
  private readonly positions = new Map<string, number>();
  /** Steps on to the oldest id: a new iterator would step over every entry that was deleted before it each time. */
  private oldest = this.positions.entries();
  /** Changes after this position are known. */
  private knownAfter = Infinity;

  constructor(private readonly capacity: number) {}

  /** Forgets everything: from now on, changes after the position are noted. */
  startAfter(position: number): void {
    this.positions.clear();
    this.oldest = this.positions.entries();
    this.knownAfter = position;
  }

  /** Notes a change by the event at the position. Positions must not decrease. */
  note(id: string, position: number): void {
    this.positions.delete(id);
    this.positions.set(id, position);
    if (this.positions.size <= this.capacity) return;
    const first = this.oldest.next();
    if (first.done) return;
    const [oldest, at] = first.value;
    this.positions.delete(oldest);
    this.knownAfter = Math.max(this.knownAfter, at);
  }

  /** Returns the ids that changed after the position; undefined where some of them may be forgotten. */
  after(position: number): readonly string[] | undefined {
    if (position < this.knownAfter) return undefined;
    const found: string[] = [];
    for (const [id, at] of this.positions) if (at > position) found.push(id);
    return found;
  }
}
