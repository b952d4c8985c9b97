import type { Process } from './process.js';
import type { Simulator } from './simulator.js';

const REQUEST_TIMEOUT_MS = 3_000;

/** Messages are lost, repeated, late and out of order while faults are on. */
export class Network {
  /** Members that nobody reaches for a while. */
  private readonly cut = new Map<Process, number>();

  constructor(private readonly sim: Simulator) {}

  isolate(member: Process, ms: number): void {
    this.cut.set(member, this.sim.now + ms);
    this.sim.trace(() => `${member.name} is cut off for ${ms} ms`);
  }

  send(from: Process | undefined, to: Process | undefined, run: () => void): void {
    const { random, faults, profile } = this.sim;
    if (faults && (this.isCut(from) || this.isCut(to) || random.chance(profile.lost))) return;
    this.arrive(to, run);
    if (faults && random.chance(profile.repeated)) this.arrive(to, run);
  }

  /** Asks and waits for the first answer; undefined after the time-out. `serve` runs at the other side, perhaps twice. */
  request<T>(
    from: Process,
    to: Process | undefined,
    serve: (reply: (answer: T) => void) => void,
    then: (answer: T | undefined) => void,
  ): void {
    let open = true;
    const life = from.life;
    const settle = (answer: T | undefined): void => {
      if (!open || from.life !== life) return;
      open = false;
      then(answer);
    };
    from.after(REQUEST_TIMEOUT_MS, () => settle(undefined));
    this.send(from, to, () => serve(answer => this.send(to, from, () => settle(answer))));
  }

  private arrive(to: Process | undefined, run: () => void): void {
    const { random, faults, profile } = this.sim;
    const delay = faults && random.chance(profile.late) ? random.within(profile.lateMs) : random.int(1, 20);
    this.sim.after(delay, () => (to ? to.deliver(run) : run()));
  }

  private isCut(member: Process | undefined): boolean {
    return member !== undefined && (this.cut.get(member) ?? 0) > this.sim.now;
  }
}
