import { addedAmounts, amountsBeyond, type CountedResource, type QuotaAmounts, type QuotaUsage } from '@stave/domain';
import { isDeepStrictEqual } from 'node:util';
import type { Folded } from '../snapshots/snapshot-fields.js';

interface Counted extends CountedResource {
  readonly projectId: string;
}

/** What the resources of each project take of its quotas, kept as they change. */
export class ProjectUsage implements Folded {
  /** By stream. */
  private readonly resources = new Map<string, Counted>();
  /** By project. */
  private readonly totals = new Map<string, QuotaAmounts>();

  /** `onLess`: called with the project after each change with which its resources take less of something. */
  private readonly listeners: ((projectId: string) => void)[] = [];

  constructor(private readonly onLess: (projectId: string) => void = () => undefined) {}

  get folded(): Folded['folded'] {
    return { resources: this.resources, totals: this.totals };
  }

  /** Calls the listener with the project after each change of what its resources take. */
  onChange(listener: (projectId: string) => void): void {
    this.listeners.push(listener);
  }

  of(projectId: string): QuotaUsage {
    return { counted: this.totals.get(projectId) ?? {}, of: stream => this.resources.get(stream) };
  }

  /** The project of the resource of a stream; undefined where it does not count. */
  projectOf(stream: string): string | undefined {
    return this.resources.get(stream)?.projectId;
  }

  /** Counts what the resource of a stream takes after the event with this revision. */
  put(stream: string, projectId: string, amounts: QuotaAmounts, revision: number): void {
    const known = this.resources.get(stream);
    if (known && known.revision >= revision) return;
    const isSame = known !== undefined && isDeepStrictEqual(known.amounts, amounts);
    this.resources.set(stream, { projectId, revision, amounts: isSame ? known.amounts : amounts });
    if (!isSame) this.add(projectId, amountsBeyond(amounts, known?.amounts ?? {}));
  }

  /** The resource of the stream takes nothing any more. */
  end(stream: string): void {
    const known = this.resources.get(stream);
    if (!known) return;
    this.resources.delete(stream);
    this.add(known.projectId, amountsBeyond({}, known.amounts));
  }

  /** As `end`, for what was accepted with another resource and never got a stream. */
  endUnlessBegun(stream: string): void {
    if (this.resources.get(stream)?.revision === -1) this.end(stream);
  }

  private add(projectId: string, change: QuotaAmounts): void {
    const total = addedAmounts(this.totals.get(projectId) ?? {}, change);
    if (Object.keys(total).length > 0) this.totals.set(projectId, total);
    else this.totals.delete(projectId);
    for (const listener of this.listeners) listener(projectId);
    if (Object.values(change).some(amount => amount < 0)) this.onLess(projectId);
  }
}
