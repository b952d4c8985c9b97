import { omitUndefined } from '@stave/domain';
import {
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type Append,
  type AppendResult,
  type EventStore,
} from '@stave/platform';

const UNKNOWN_RETRIES = 3;

/**
 * Appends that a creation needs before its own, such as the reservation of a name, and that are expected to be accepted: they go to the
 * store together with the creation, which is written only if they were accepted.
 */
export class AppendsAhead {
  private readonly waiting: Append[] = [];
  private readonly checks: (() => Promise<unknown>)[] = [];
  private checked: Promise<unknown> | undefined;

  put(append: Append): void {
    this.waiting.push(append);
  }

  get appends(): readonly Append[] {
    return this.waiting;
  }

  /**
   * Makes the resource depend on a check that is expected to succeed, and that begins while what is ahead is appended. When it rejects, the resource
   * is not written, and its creation rejects with the reason; what is ahead may be written then.
   */
  require(check: () => Promise<unknown>): void {
    this.checks.push(check);
  }

  /** Begins the checks at its first call, and resolves when everything holds that the resource depends on; undefined where it depends on nothing. */
  get required(): (() => Promise<unknown>) | undefined {
    if (this.checks.length === 0) return undefined;
    return () => (this.checked ??= Promise.all(this.checks.map(check => check())));
  }

  /** Returns whether the error says that one of these appends was refused: nothing of the resource was written then. */
  isRefusal(error: unknown): boolean {
    return error instanceof WrongExpectedRevisionError && this.waiting.some(({ stream }) => stream === error.stream);
  }
}

/**
 * Appends to the store, after what is ahead where there is something. Repeats the same events while their effect is unknown. Resolves and
 * rejects as `EventStore.appendInOrder`.
 */
export async function appendAfter(
  ahead: AppendsAhead | undefined,
  store: EventStore,
  own: Append,
): Promise<AppendResult> {
  for (let attempt = 0; ; attempt++)
    try {
      return await appendOnce(ahead, store, own);
    } catch (error) {
      if (!(error instanceof EventStoreUnavailableError) || attempt >= UNKNOWN_RETRIES) throw error;
    }
}

async function appendOnce(ahead: AppendsAhead | undefined, store: EventStore, own: Append): Promise<AppendResult> {
  const { stream, events, expected } = own;
  const { appends = [], required: requires } = ahead ?? {};
  if (appends.length === 0) {
    await requires?.();
    return store.append(stream, events, expected);
  }
  const result = (await store.appendInOrder([...appends, { ...own, ...omitUndefined({ requires }) }])).at(-1);
  if (!result) throw new Error(`an append to ${stream} has no result`);
  return result;
}
