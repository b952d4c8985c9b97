import type { Plan } from '@stave/client';
import type { Change } from '../api/api.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { FleetChanges, type FleetChange } from '../fleet/changes.js';
import { attachmentPath } from '../fleet/present.js';
import { fleetEntries } from '../fleet/fleet-file.js';
import { parseText, readText } from '../input/body.js';
import { writeDocument } from '../output/output.js';
import { hasChanges, planLines } from '../plans/plan-text.js';
import { PlanStore, type PlannedChange } from '../plans/plan-store.js';
import type { Session } from '../session.js';
import { confirmed } from './confirm.js';
import { sendChange } from './make-change.js';
import type { WaitFlags } from './outcome.js';

export interface ApplyFlags extends WaitFlags {
  readonly file?: string;
  readonly plan?: boolean;
  readonly exitCode?: boolean;
  readonly prune?: boolean;
  readonly yes?: boolean;
}

interface Prepared {
  readonly title: FleetChange;
  readonly change: Change;
  readonly plan: Plan<unknown> | undefined;
}

/** Applies a plan that was made before, or a fleet file. Returns the exit code. */
export async function apply(session: Session, id: string | undefined, flags: ApplyFlags): Promise<number> {
  if ((id === undefined) === (flags.file === undefined))
    throw new UsageError('stave apply takes a plan, such as p7, or a file: -f fleet.yaml');
  return id === undefined ? applyFile(session, flags.file!, flags) : applyPlan(session, id, flags);
}

async function applyPlan(session: Session, id: string, flags: ApplyFlags): Promise<number> {
  const { url, project, changes } = new PlanStore(session.terminal.env).get(id);
  const { connection } = session.api;
  if (connection.url !== url || connection.project !== project)
    throw new UsageError(
      `${id} was made for ${url}${project === undefined ? '' : `, project ${project}`}; the present settings lead elsewhere`,
    );
  return make(session, changes, flags);
}

/** Makes planned changes one after the other. The first that is refused ends it; those before it were made. */
async function make(session: Session, changes: readonly PlannedChange[], flags: WaitFlags): Promise<number> {
  for (const [index, { planToken, change }] of changes.entries())
    try {
      const exact = planToken === undefined ? change : { ...change, query: { ...change.query, planToken } };
      const path = exact.method === 'put' ? await attachmentPath(session.api, exact.path) : exact.path;
      await sendChange(session, { ...exact, path }, flags);
    } catch (error) {
      if (index > 0) session.note(`${index} of ${changes.length} changes were made before this one was refused.`);
      throw error;
    }
  return exitCodes.done;
}

async function prepare(session: Session, fleetChange: FleetChange): Promise<Prepared> {
  const change: Change = { ...fleetChange.change, idempotencyKey: crypto.randomUUID() };
  return { title: fleetChange, change, plan: fleetChange.follows ? undefined : await session.api.plan(change) };
}

async function applyFile(session: Session, file: string, flags: ApplyFlags): Promise<number> {
  const { api, terminal, format } = session;
  const entries = fleetEntries(await parseText(await readText(terminal, file), file === '-' ? 'the input' : file));
  const wanted = await new FleetChanges(api, flags.prune ?? false).of(entries);
  const prepared: Prepared[] = [];
  for (const change of wanted) prepared.push(await prepare(session, change));
  // the API knows when two ways of writing mean the same
  const real = prepared.filter(({ plan }) => plan === undefined || hasChanges(plan.data));
  const stored = real.map(({ change, plan }) => ({ change, ...(plan ? { planToken: plan.data.planToken } : {}) }));
  const id = flags.plan && real.length > 0 ? store(session, stored) : undefined;
  const document = {
    ...(id === undefined ? {} : { id, apply: `stave apply ${id}` }),
    changes: real.map(({ title, plan }) => ({ sign: title.sign, title: title.title, plan: plan?.data ?? null })),
  };
  const machine = format !== 'table' && format !== 'wide';
  if (flags.plan && machine) writeDocument(terminal, format, document);
  else print(session, real, flags.plan ? text => terminal.out(text) : text => terminal.err(text));
  if (flags.plan) {
    if (id !== undefined && !machine)
      terminal.out(`Apply exactly this (it is refused when the state has moved):\nstave apply ${id}\n`);
    return flags.exitCode && real.length > 0 ? exitCodes.changes : exitCodes.done;
  }
  if (real.length === 0) return exitCodes.done;
  const removed = real.filter(({ title }) => title.sign === '-').length;
  await confirmed(
    session,
    `Make these ${real.length} changes${removed > 0 ? `, ${removed} of them removals` : ''}?`,
    flags.yes,
  );
  return make(session, stored, flags);
}

function store(session: Session, changes: readonly PlannedChange[]): string {
  const { url, project } = session.api.connection;
  return new PlanStore(session.terminal.env).add({ url, project, changes });
}

function print(session: Session, prepared: readonly Prepared[], write: (text: string) => void): void {
  if (prepared.length === 0) return write('No changes.\n');
  for (const { title, plan } of prepared) {
    write(`${title.sign} ${title.title}${plan ? '' : '   (planned when what it refers to exists)'}\n`);
    for (const line of plan ? planLines(plan.data, session.terminal.columns) : []) write(`    ${line}\n`);
  }
}
