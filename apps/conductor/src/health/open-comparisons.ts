import type { ExpectedUnit } from '@stave/contracts';
import type { ExpectedUnits } from './expected-units.js';
import type { ListedUnits } from './listed-units.js';

/**
 * Which expected units a check must compare with the list: all at first, then those that are expected or listed otherwise than at the check
 * before, and those that were missing or differed there. So a check costs what changed, not what exists.
 */
export class OpenComparisons {
  /** Undefined: all. */
  private open: Set<string> | undefined;

  constructor(
    private readonly expected: ExpectedUnits,
    private readonly listed: ListedUnits,
  ) {}

  /** Returns the expected units to be compared. They are returned again until `completed` is called. */
  next(): readonly ExpectedUnit[] {
    const [expected, listed] = [this.expected.takeChanges(), this.listed.takeChanges()];
    if (!this.open || !expected || !listed) {
      this.open = undefined;
      return [...this.expected.all()];
    }
    for (const id of expected) this.open.add(id);
    for (const id of listed) this.open.add(id);
    return [...this.open].flatMap(id => this.expected.get(id) ?? []);
  }

  /** To be called when the units of `next` were compared. Those that are missing, and `differing` ones, are compared by the next check, too. */
  completed(compared: readonly ExpectedUnit[], differing: readonly { readonly resourceId: string }[]): void {
    const missing = compared.filter(({ resourceId }) => !this.listed.has(resourceId));
    this.open = new Set([...missing, ...differing].map(({ resourceId }) => resourceId));
  }
}
