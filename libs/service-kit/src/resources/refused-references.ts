import { RefusedError, type FieldProblem } from '@stave/contracts';
import { brokenRules } from '@stave/domain';

/** Whether a reference leads to nothing, or to more than one; an error that a repeat may not meet is none of these. */
export const isWrongReference = (error: unknown): error is RefusedError =>
  error instanceof RefusedError && error.error.kind !== 'unavailable';

/** Returns what `look` finds. Its refusals point at `pointer`; a missing resource is a broken rule of the request (422). */
export async function referredAt<T>(pointer: string, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { code, kind, detail } = error.error;
    const errors: readonly FieldProblem[] = [{ pointer, code, detail }];
    throw new RefusedError(kind === 'not-found' ? brokenRules(errors) : { ...error.error, errors });
  }
}

/** Collects the refused references of one request, so that they are reported together. */
export class RefusedReferences {
  private readonly refused: RefusedError[] = [];

  /** Returns what was found; undefined where the lookup was refused. */
  async collect<T>(look: Promise<T>): Promise<T | undefined> {
    try {
      return await look;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.refused.push(error);
      return undefined;
    }
  }

  /** Returns the result of `plan`. Where a reference was refused, throws RefusedError, with the rules that `plan` finds broken as well. */
  with<T>(plan: () => T): T {
    if (this.refused.length === 0) return plan();
    try {
      plan();
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      const { kind, errors = [] } = error.error;
      if (kind === 'rule' && errors.length > 0) this.refused.push(error);
    }
    this.raise();
    throw new Error('raise() throws where a reference was refused');
  }

  /** Throws RefusedError where a reference was refused: a conflict only where no rule is broken. */
  raise(): void {
    const [first, ...others] = this.refused;
    if (!first) return;
    const above = this.refused.find(({ error }) => error.kind !== 'rule' && error.kind !== 'conflict');
    if (above || others.length === 0) throw above ?? first;
    const errors = this.refused.flatMap(({ error }) => error.errors ?? []);
    const isRule = this.refused.some(({ error }) => error.kind === 'rule');
    const rule = brokenRules(errors);
    const code = this.refused.every(({ error }) => error.code === first.error.code) ? first.error.code : rule.code;
    throw new RefusedError({ ...rule, code, kind: isRule ? 'rule' : 'conflict' });
  }
}
