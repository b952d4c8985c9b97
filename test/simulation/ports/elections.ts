import type { Election } from '@stave/platform';
import type { Process } from '../kernel/process.js';
import type { Simulator } from '../kernel/simulator.js';

/**
 * A former leader learns of its successor within this time, which is shorter than the margin of a conductor's session.
 */
const STALE_BELIEF_MS = 1_500;
/** A leader that is silent for this time is replaced. */
export const SILENCE_MS = 3_000;

interface Candidate {
  readonly process: Process;
  readonly enter: (run: () => void) => void;
  readonly onChange: (leading: boolean) => void;
  leading: boolean;
  closed: boolean;
}

/** Elects one replica for each role. A former leader learns of its successor with a delay. */
export class Elections {
  private readonly roles = new Map<string, { candidates: Candidate[]; elected?: Candidate }>();

  constructor(private readonly sim: Simulator) {}

  join(process: Process, role: string, onChange: (leading: boolean) => void): Election {
    const candidate: Candidate = { process, enter: process.entrance(), onChange, leading: false, closed: false };
    const known = this.roles.get(role) ?? { candidates: [] };
    this.roles.set(role, known);
    known.candidates.push(candidate);
    const leave = (): void => {
      candidate.closed = true;
      known.candidates.splice(known.candidates.indexOf(candidate), 1);
      if (known.elected === candidate) this.sim.after(this.sim.random.int(10, SILENCE_MS), () => this.replace(role));
    };
    process.onEnd(() => candidate.closed || leave());
    if (!known.elected || known.elected.closed) this.sim.after(this.sim.random.int(5, 500), () => this.replace(role));
    return {
      get leading() {
        return candidate.leading;
      },
      close: async () => {
        if (!candidate.closed) leave();
        this.notify(candidate, () => false);
      },
    };
  }

  /** Returns whether this process is elected for a role, even if it has not been notified. */
  elects(process: Process): boolean {
    return [...this.roles.values()].some(({ elected }) => elected?.process === process && !elected.closed);
  }

  /** Holds an election for every role. */
  hold(): void {
    for (const role of this.roles.keys()) this.elect(role);
  }

  /** Replaces each leader that is down or frozen. */
  replaceSilent(): void {
    for (const role of this.roles.keys()) this.replace(role);
  }

  private replace(role: string): void {
    const elected = this.roles.get(role)?.elected;
    if (!elected || elected.closed || elected.process.frozen) this.elect(role);
  }

  private elect(role: string): void {
    const known = this.roles.get(role);
    const chosen = this.sim.random.pick(known?.candidates.filter(({ process }) => !process.frozen) ?? []);
    if (!known || !chosen) return;
    known.elected = chosen;
    const notify = (candidate: Candidate): void => this.notify(candidate, () => known.elected === candidate);
    notify(chosen);
    for (const other of known.candidates)
      if (other !== chosen) this.sim.after(this.sim.random.int(0, STALE_BELIEF_MS), () => notify(other));
  }

  /** Notifies the candidate of the outcome at the time when the message arrives. */
  private notify(candidate: Candidate, isElected: () => boolean): void {
    candidate.enter(() => {
      const leading = isElected();
      if (candidate.leading === leading) return;
      candidate.leading = leading;
      this.sim.note(() => `${candidate.process.name} ${leading ? 'leads' : 'leads no more'}`);
      candidate.onChange(leading);
    });
  }
}
