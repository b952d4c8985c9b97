import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from '../api/api.js';
import { UsageError } from '../exit-codes.js';

/** A change, with the token that binds it to the state for which it was planned. */
export interface PlannedChange {
  readonly change: Change;
  /** Absent where the change refers to what an earlier change of the plan creates. */
  readonly planToken?: string;
}

/** A plan as it is kept until it is applied. It has no credential. */
export interface StoredPlan {
  readonly url: string;
  readonly project?: string | undefined;
  readonly changes: readonly PlannedChange[];
}

const KEPT = 100;
const numberOf = (file: string): number => Number(/^p(\d+)\.json$/.exec(file)?.[1] ?? NaN);

/** The plans that this user has made: numbered files that only he can read, since a body can have secrets. The latest hundred are kept. */
export class PlanStore {
  private readonly directory: string;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const state = env['XDG_STATE_HOME'] ?? join(env['HOME'] ?? '.', '.local', 'state');
    this.directory = join(state, 'stave', 'plans');
  }

  /** Stores a plan and returns its id, such as `p7`. */
  add(plan: StoredPlan): string {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const numbers = readdirSync(this.directory)
      .map(numberOf)
      .filter(number => !Number.isNaN(number));
    for (const old of numbers.sort((a, b) => b - a).slice(KEPT - 1)) rmSync(this.file(`p${old}`), { force: true });
    for (let next = (numbers[0] ?? 0) + 1; ; next++)
      try {
        // `wx`: another command may take the same number at the same time
        writeFileSync(this.file(`p${next}`), `${JSON.stringify(plan)}\n`, { mode: 0o600, flag: 'wx' });
        return `p${next}`;
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== 'EEXIST') throw error;
      }
  }

  /** Throws UsageError for a plan that does not exist, or no longer. */
  get(id: string): StoredPlan {
    if (!/^p\d+$/.test(id)) throw new UsageError(`${id} is no plan; plans are called p1, p2 and so on`);
    try {
      return JSON.parse(readFileSync(this.file(id), 'utf8')) as StoredPlan;
    } catch {
      throw new UsageError(`there is no plan ${id}; the latest ${KEPT} are kept`);
    }
  }

  private file(id: string): string {
    return join(this.directory, `${id}.json`);
  }
}
