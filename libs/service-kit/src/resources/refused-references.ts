import { RefusedError, type FieldProblem } from '@stave/contracts';
import { brokenRules } from '@stave/domain';

/** What `look` finds; what it throws because there is no such resource is a broken rule of the request (422), pointed at its place. */
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

/** References of one request, each looked up on its own, so that all that cannot be used are reported at once. */
export class RefusedReferences {
  private readonly refused: RefusedError[] = [];

  /** What `look` finds; undefined, and remembered, where it is refused. */
  async collect<T>(look: Promise<T>): Promise<T | undefined> {
    try {
      return await look;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.refused.push(error);
      return undefined;
    }
  }

  /** What `plan` makes of what was found. Throws RefusedError where something was refused, with every broken rule that `plan` finds beside it. */
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
    throw new Error('what was refused is thrown');
  }

  /** Throws RefusedError where something was refused: a conflict only where nothing breaks a rule. */
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
