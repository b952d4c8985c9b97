import type { ServiceName, Task } from '@stave/contracts';
import type { ConductorTimes } from '../config/conductor.settings.js';
import type { Session } from '../session/session.js';
import { jitter } from '../time/backoff.js';
import type { SlotTable } from '../ring/slot-table.js';
import { ClaimLane, type ClaimLaneParts } from './claim-lane.js';
import { serviceOf } from './reporter.js';

const POLL_JITTER = 0.1;

export type ClaimLoopParts = Omit<ClaimLaneParts, 'onRoom' | 'isClaiming' | 'debounceMs'> & {
  readonly drivers: readonly string[];
  readonly times: ConductorTimes;
};

/** Decides when to ask whom for work. */
export class ClaimLoop {
  private readonly lanes: readonly ClaimLane[];
  private claiming = true;

  constructor(private readonly parts: ClaimLoopParts) {
    const lane: ClaimLaneParts = {
      ...parts,
      debounceMs: parts.times.hintDebounceMs,
      isClaiming: () => this.claiming,
      onRoom: () => this.wakeWhere(({ isHungry }) => isHungry),
    };
    const services: readonly ServiceName[] = Object.values(serviceOf);
    this.lanes = services.flatMap(service => parts.drivers.map(driver => new ClaimLane(service, driver, lane)));
  }

  run(session: Session): void {
    for (const lane of this.lanes) lane.use(session);
    this.poll(session);
  }

  /** Claims nothing any more. */
  stop(): void {
    this.claiming = false;
  }

  /** A hint for a slot that this conductor may hold. */
  hinted(table: SlotTable, token: string, slot: number): void {
    const drivers = table.driversOf(token, slot);
    this.wakeWhere(({ driver }) => drivers.includes(driver));
  }

  /** Slots were gained, or a driver opened. */
  wakeAll(): void {
    this.wakeWhere(() => true);
  }

  /** There is room again, and its resource may have more to do. */
  taskEnded(task: Task): void {
    const service = serviceOf[task.resource.type];
    this.wakeWhere(lane => lane.isHungry || (lane.service === service && lane.driver === task.driver.name));
  }

  private poll(session: Session): void {
    this.wakeAll();
    session.after(jitter(this.parts.times.claimPollMs, POLL_JITTER), () => this.poll(session));
  }

  private wakeWhere(matches: (lane: ClaimLane) => boolean): void {
    for (const lane of this.lanes) if (matches(lane)) lane.wake();
  }
}
