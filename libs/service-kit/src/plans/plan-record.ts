import type { DomainEvent } from '@stave/domain';
import type { PlannedWrite, PlanWatch } from './plan-watch.js';

/** A dry run: takes down what would be appended. */
export class DryRun implements PlanWatch {
  readonly writes: PlannedWrite[] = [];

  admits(write: PlannedWrite): Promise<boolean> {
    this.writes.push(write);
    return Promise.resolve(false);
  }

  marked(events: readonly DomainEvent[]): Promise<readonly DomainEvent[]> {
    return Promise.resolve(events);
  }

  verify(): Promise<void> {
    return Promise.resolve();
  }

  repeats(): void {
    // a dry run is remembered nowhere
  }
}
