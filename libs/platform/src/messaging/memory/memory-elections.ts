import { Election } from '../messaging.port.js';

class Candidate implements Election {
  leading = false;

  constructor(
    readonly onChange: (leading: boolean) => void,
    private readonly leave: (candidate: Candidate) => void,
  ) {}

  set(leading: boolean): void {
    if (this.leading === leading) return;
    this.leading = leading;
    this.onChange(leading);
  }

  async close(): Promise<void> {
    this.leave(this);
  }
}

/** Elections within one process. The earliest candidate leads until it leaves. */
export class MemoryElections {
  private readonly roles = new Map<string, Candidate[]>();

  join(role: string, onChange: (leading: boolean) => void): Election {
    const candidates = this.roles.get(role) ?? [];
    this.roles.set(role, candidates);
    const candidate = new Candidate(onChange, leaving => this.leave(role, candidates, leaving));
    candidates.push(candidate);
    this.settle(candidates);
    return candidate;
  }

  private leave(role: string, candidates: Candidate[], leaving: Candidate): void {
    const at = candidates.indexOf(leaving);
    if (at < 0) return;
    candidates.splice(at, 1);
    if (candidates.length === 0) this.roles.delete(role);
    leaving.set(false);
    this.settle(candidates);
  }

  private settle(candidates: readonly Candidate[]): void {
    setImmediate(() => candidates[0]?.set(true));
  }
}
