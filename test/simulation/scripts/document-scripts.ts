import { DirectedSchedule } from './directed-schedule.js';

const LOST_AT_MS = 30_000;

/** All documents are lost once while no process starts or stops, so that only the leading replicas can notice it. */
export class LostDocuments extends DirectedSchedule {
  override start(): void {
    this.sim.after(LOST_AT_MS, () => this.environment.loseDocuments());
  }
}
