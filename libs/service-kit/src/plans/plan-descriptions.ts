import { setImmediate } from 'node:timers/promises';
import { splitStream } from '@stave/platform';
import { diffJson, omitUndefined, type DomainEvent, type PlannedChange, type PlanStep } from '@stave/domain';
import type { PlannedWrite } from './append-admission.js';
import { requirePlannable } from './plan-compression.js';
import type { PlanContent } from './plan-token.js';

type Document = Readonly<Record<string, unknown>>;

/** A resource before and after the events that a request would append to its stream; `before` is undefined for a new resource. */
export interface PlannedEffect<S> {
  readonly before: S | undefined;
  readonly after: S;
  readonly events: readonly DomainEvent[];
}

/** Declares what plans show of the resources of one stream category. */
export interface PlannedResource<S> {
  /** The type in steps: `cluster`, `nodeGroup`, `node` … */
  readonly type: string;
  /** Returns what clients see of the resource; undefined for one that does not exist. */
  readonly show: (state: S) => Document | undefined;
  /** Returns what follows on the infrastructure; default: one step for the resource itself. */
  readonly steps?: (effect: PlannedEffect<S>) => readonly PlanStep[];
  /** Yields the same in parts, where there are many; the process serves others between them. In place of `steps`. */
  readonly parts?: (effect: PlannedEffect<S>) => Iterable<readonly PlanStep[]> | AsyncIterable<readonly PlanStep[]>;
  /** Returns at most how many steps there are, without computing them; default 1. */
  readonly size?: (effect: PlannedEffect<S>) => number;
  /** Returns what a plan shows of the present beside, which the execution is not bound to: explanations, and nodes of what is created. */
  readonly outlook?: (effect: PlannedEffect<S>, steps: readonly PlanStep[]) => Outlook | undefined;
  /** Returns why the steps cannot be predicted; undefined where they can. */
  readonly unsettled?: (effect: PlannedEffect<S>) => string | undefined;
}

export interface Outlook {
  /** Why what is created would wait, or that it would not. */
  readonly explanation?: object;
  /** The node that each created container would get now; null for one that would wait. */
  readonly placements?: readonly { readonly name: string; readonly nodeId: string | null }[];
  /** What a policy is attached to, of changes of policies. */
  readonly targets?: readonly { readonly type: string; readonly id: string }[];
  /** The rules that what runs would break, of changes of policies; nobody is moved for them. */
  readonly violations?: readonly {
    readonly code: string;
    readonly count: number;
    readonly sentence: string;
    readonly containers: readonly string[];
  }[];
}

/** Fields that change without a request; the diff of a plan leaves them out. */
const HIDDEN: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'statusReason', 'health', 'healthReasons']);

function fieldsOf(document: Document | undefined, isNew: boolean): Document | undefined {
  if (!document) return undefined;
  const kept = Object.entries(document).filter(([field]) => !HIDDEN.has(field) && !(isNew && field === 'id'));
  return Object.fromEntries(kept);
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function resourceOf(type: string, document: Document | undefined, isNew: boolean): PlanStep['resource'] {
  const [id, name] = [isNew ? undefined : text(document?.['id']), text(document?.['name'])];
  return { type, ...omitUndefined({ id, name }) };
}

export class PlanDescriptions {
  private readonly byCategory = new Map<string, PlannedResource<unknown>>();

  add<S>(category: string, resource: PlannedResource<S>): void {
    // states of a category are folded by its one model
    this.byCategory.set(category, resource as PlannedResource<unknown>);
  }

  /** Throws RefusedError `plan-too-large`, before it computes anything. Lets the process serve other requests in between. */
  async planOf(writes: readonly PlannedWrite[]): Promise<PlanContent> {
    requirePlannable(writes.reduce((sum, write) => sum + this.sizeOf(write), 0));
    const events = writes.flatMap(({ stream, events: all }) => all.map(e => ({ type: e.type, stream, data: e.data })));
    const origins = events.flatMap(({ data }) => originsIn(data));
    const described: Described[] = [];
    for (const write of writes) described.push(await this.described(write));
    const unsettled = described.find(each => each.unsettled !== undefined)?.unsettled;
    return {
      events,
      diff: described.flatMap(({ diff }) => diff),
      ...(origins.length === 0 ? {} : { origins: origins.length === 1 ? origins[0] : origins }),
      steps: described.flatMap(({ steps }) => steps),
      ...omitUndefined({ unsettled }),
    };
  }

  /** Returns what the plan of these writes shows beside. */
  outlook(writes: readonly PlannedWrite[], steps: readonly PlanStep[]): Outlook {
    const all = writes.flatMap(write => {
      const found = this.effectOf(write);
      return found?.declared.outlook?.(found.effect, steps) ?? [];
    });
    return Object.assign({}, ...all.toReversed()) as Outlook;
  }

  private effectOf({ stream, after, events, states }: PlannedWrite) {
    const declared = this.byCategory.get(splitStream(stream).category);
    if (!declared || !states) return undefined;
    const isNew = after < 0;
    return { declared, states, isNew, effect: { before: isNew ? undefined : states[0], after: states[1], events } };
  }

  private sizeOf(write: PlannedWrite): number {
    const found = this.effectOf(write);
    return found ? (found.declared.size?.(found.effect) ?? 1) : 0;
  }

  /** Returns nothing for streams that are not of a declared resource. */
  private async described(write: PlannedWrite): Promise<Described> {
    const found = this.effectOf(write);
    if (!found) return { diff: [], steps: [] };
    const { declared, effect, states, isNew } = found;
    const [was, is] = [isNew ? undefined : declared.show(states[0]), declared.show(states[1])];
    const resource = resourceOf(declared.type, is ?? was, isNew);
    const action = isNew ? 'create' : is ? 'change' : 'remove';
    return {
      diff: changesOf(resource, was, is),
      steps: declared.parts
        ? await unhurried(declared.parts(effect))
        : (declared.steps?.(effect) ?? [{ action, resource }]),
      ...omitUndefined({ unsettled: declared.unsettled?.(effect) }),
    };
  }
}

type Described = Pick<PlanContent, 'diff' | 'steps' | 'unsettled'>;

/** How long a plan is computed before the process serves others, in milliseconds. */
const TURN_MS = 10;

/** Joins the parts; between two of them the process serves others where it has computed for a while. */
async function unhurried(
  parts: Iterable<readonly PlanStep[]> | AsyncIterable<readonly PlanStep[]>,
): Promise<readonly PlanStep[]> {
  const all: PlanStep[] = [];
  let since = performance.now();
  for await (const part of parts) {
    for (const step of part) all.push(step);
    if (performance.now() - since < TURN_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return all;
}

function changesOf(
  { type, id }: PlanStep['resource'],
  was: Document | undefined,
  is: Document | undefined,
): readonly PlannedChange[] {
  const isNew = id === undefined;
  const fields = isNew ? diffJson({}, fieldsOf(is, true) ?? {}) : diffJson(fieldsOf(was, false), fieldsOf(is, false));
  return fields.map(change => ({ ...change, resource: { type, ...omitUndefined({ id }) } }));
}

interface Originated {
  readonly name?: string;
  readonly origins?: object;
  readonly groups?: readonly Originated[];
}

/** Returns where the values of a creation came from; those of its node groups are listed with the names of the groups. */
function originsIn(data: unknown): readonly unknown[] {
  const { origins, groups = [] } = (data ?? {}) as Originated;
  if (!origins) return [];
  const nodeGroups = groups.flatMap(group => (group.origins ? [{ name: group.name, origins: group.origins }] : []));
  return [nodeGroups.length > 0 ? { ...origins, nodeGroups } : origins];
}
