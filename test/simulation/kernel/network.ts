import type { Process } from './process.js';
import type { Message } from './script.js';
import type { Simulator } from './simulator.js';

const STORE_TIMEOUT_MS = 2_000;

/** Loses, repeats, delays and reorders messages while faults are on. */
export class Network {
  /** The time at which each isolated process is reachable again. */
  private readonly isolated = new Map<Process, number>();

  constructor(private readonly sim: Simulator) {}

  isolate(process: Process, ms: number): void {
    this.isolated.set(process, this.sim.now + ms);
    this.sim.note(() => `${process.name} is cut off for ${ms} ms`);
  }

  isCut(process: Process): boolean {
    return (this.isolated.get(process) ?? 0) > this.sim.now;
  }

  /**
   * Sends a message between two processes; `run` receives it once, twice or never. `enter` runs it in the life of the
   * receiver for which it is meant, by default the current one.
   */
  send(message: Message, run: () => void, enter = message.to.entrance()): void {
    const { sim } = this;
    const { from, to } = message;
    const { lost, repeated } = sim.profile;
    if (sim.directed?.takes(message, () => sim.after(0, () => enter(run)))) return;
    if (sim.faults && (this.isCut(from) || this.isCut(to) || sim.random.chance(lost))) return;
    sim.after(this.delay(), () => enter(run));
    if (sim.happens(repeated)) sim.after(this.delay(), () => enter(run));
  }

  /**
   * Calls a store or the cloud, which are outside of every process. Rejects with `unavailable()` when the request or
   * its answer is lost or too late; `work` may run nevertheless.
   */
  call<T>(from: Process, work: () => T | Promise<T>, unavailable: () => Error): Promise<T> {
    const { sim } = this;
    const enter = from.entrance();
    return new Promise<T>((resolve, reject) => {
      let open = true;
      const settle = (deliver: () => void): void => {
        sim.after(this.delay(), () => {
          if (!open || (sim.faults && this.isCut(from))) return;
          open = false;
          enter(deliver);
        });
      };
      const answered = (): boolean => !sim.happens(sim.profile.lostAnswer);
      if (!(sim.faults && (this.isCut(from) || sim.random.chance(sim.profile.lostRequest))))
        sim.after(this.delay(), () => {
          Promise.resolve()
            .then(work)
            .then(
              result => answered() && settle(() => resolve(result)),
              (error: unknown) => answered() && settle(() => reject(error)),
            );
        });
      from.after(STORE_TIMEOUT_MS, () => {
        if (!open) return;
        open = false;
        reject(unavailable());
      });
    });
  }

  private delay(): number {
    const { sim } = this;
    return sim.happens(sim.profile.late) ? sim.random.within(sim.profile.lateMs) : sim.random.int(1, 20);
  }
}
