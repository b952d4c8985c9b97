import type { Change, ChangeMethod, Document, Query } from '../api/api.js';
import { exitCodes } from '../exit-codes.js';
import { writeDocument } from '../output/output.js';
import { hasChanges, planLines } from '../plans/plan-text.js';
import { PlanStore } from '../plans/plan-store.js';
import type { Session } from '../session.js';
import { changeLine } from './change-line.js';
import { awaitOperation, followLine, type WaitFlags } from './outcome.js';

export interface ChangeFlags extends WaitFlags {
  readonly plan?: boolean;
  readonly exitCode?: boolean;
  readonly ifMatch?: string;
}

export interface WantedChange {
  readonly method: ChangeMethod;
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
}

/** Makes a change or, with `--plan`, shows and keeps what it would do. Returns the exit code. */
export async function makeChange(session: Session, wanted: WantedChange, flags: ChangeFlags): Promise<number> {
  const { ifMatch } = flags;
  const change: Change = {
    ...wanted,
    ...(ifMatch === undefined ? {} : { ifMatch: /^\d+$/.test(ifMatch) ? `"${ifMatch}"` : ifMatch }),
    idempotencyKey: crypto.randomUUID(),
  };
  if (flags.plan) return showPlan(session, change, flags);
  return sendChange(session, change, flags);
}

async function showPlan(session: Session, change: Change, { exitCode }: ChangeFlags): Promise<number> {
  const { api, terminal, format } = session;
  const { data } = await api.plan(change);
  const { url, project } = api.connection;
  const id = new PlanStore(terminal.env).add({ url, project, changes: [{ planToken: data.planToken, change }] });
  if (!writeDocument(terminal, format, { id, apply: `stave apply ${id}`, ...data })) {
    for (const line of planLines(data, terminal.columns)) terminal.out(`${line}\n`);
    terminal.out(`Apply exactly this (it is refused when the state has moved):\nstave apply ${id}\n`);
  }
  return exitCode && hasChanges(data) ? exitCodes.changes : exitCodes.done;
}

/** Sends a change once, over any number of attempts, and waits for its operation where that was asked for. */
export async function sendChange(session: Session, change: Change, flags: WaitFlags): Promise<number> {
  const { api, terminal, format } = session;
  const { data, operationId } = await api.change(change);
  const answer: Document = data ?? {};
  const operation = operationId ?? (typeof answer['operationId'] === 'string' ? answer['operationId'] : undefined);
  if (!writeDocument(terminal, format, answer)) terminal.out(`${changeLine(change, answer)}\n`);
  if (operation === undefined) return exitCodes.done;
  if (flags.wait || flags.timeout !== undefined) await awaitOperation(session, operation, flags);
  else session.note(`Accepted as operation ${operation}. ${followLine(operation)}`);
  return exitCodes.done;
}
