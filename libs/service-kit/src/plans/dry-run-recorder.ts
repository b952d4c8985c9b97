import type { DomainEvent } from '@stave/domain';
import type { AppendAdmission, PlannedWrite } from './append-admission.js';

/** Records what a dry run would append, and admits none of it. */
export class DryRunRecorder implements AppendAdmission {
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
    // a dry run carries no idempotency key
  }
}
