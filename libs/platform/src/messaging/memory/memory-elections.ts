import { Election } from '../messaging.port.js';

interface Candidate extends Election {
  leading: boolean;
  readonly onChange: (leading: boolean) => void;
}

/** Elections within one process. The earliest candidate leads until it leaves. */
export class MemoryElections {
  private readonly roles = new Map<string, Candidate[]>();

  join(role: string, onChange: (leading: boolean) => void): Election {
    const candidates = this.roles.get(role) ?? [];
    this.roles.set(role, candidates);
    const candidate: Candidate = { leading: false, onChange, close: async () => this.leave(candidates, candidate) };
    candidates.push(candidate);
    this.settle(candidates);
    return candidate;
  }

  private leave(candidates: Candidate[], leaving: Candidate): void {
    const at = candidates.indexOf(leaving);
    if (at < 0) return;
    candidates.splice(at, 1);
    if (leaving.leading) this.set(leaving, false);
    this.settle(candidates);
  }

  private settle(candidates: readonly Candidate[]): void {
    setImmediate(() => {
      const [first] = candidates;
      if (first && !first.leading) this.set(first, true);
    });
  }

  private set(candidate: Candidate, leading: boolean): void {
    candidate.leading = leading;
    candidate.onChange(leading);
  }
}
