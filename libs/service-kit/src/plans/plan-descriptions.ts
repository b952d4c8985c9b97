import { splitStream } from '@stave/platform';
import { diffJson, omitUndefined, type DomainEvent, type PlannedChange, type PlanStep } from '@stave/domain';
import type { PlannedWrite } from './append-admission.js';
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
  /** Returns why the steps cannot be predicted; undefined where they can. */
  readonly unsettled?: (effect: PlannedEffect<S>) => string | undefined;
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

/** Describes plans: what clients would see of the events, and what would follow on the infrastructure. */
export class PlanDescriptions {
  private readonly byCategory = new Map<string, PlannedResource<unknown>>();

  add<S>(category: string, resource: PlannedResource<S>): void {
    // states of a category are folded by its one model
    this.byCategory.set(category, resource as PlannedResource<unknown>);
  }

  planOf(writes: readonly PlannedWrite[]): PlanContent {
    const events = writes.flatMap(({ stream, events: all }) => all.map(e => ({ type: e.type, stream, data: e.data })));
    const origins = events.flatMap(({ data }) => originsIn(data));
    const following = writes.map(write => this.following(write));
    const unsettled = following.find(each => each.unsettled !== undefined)?.unsettled;
    return {
      events,
      diff: writes.flatMap(write => this.shown(write).diff),
      ...(origins.length === 0 ? {} : { origins: origins.length === 1 ? origins[0] : origins }),
      steps: following.flatMap(({ steps }) => steps),
      ...omitUndefined({ unsettled }),
    };
  }

  private shown({ stream, after, states }: PlannedWrite): Shown {
    const described = this.described(stream);
    if (!described || !states) return { own: [], diff: [] };
    const isNew = after < 0;
    const [was, is] = [isNew ? undefined : described.show(states[0]), described.show(states[1])];
    const resource = resourceOf(described.type, is ?? was, isNew);
    const action = isNew ? 'create' : is ? 'change' : 'remove';
    return { own: [{ action, resource }], diff: changesOf(resource, was, is) };
  }

  private following(write: PlannedWrite): Pick<PlanContent, 'steps' | 'unsettled'> {
    const { stream, after, events, states } = write;
    const { steps, unsettled } = this.described(stream) ?? {};
    if (!states) return { steps: [] };
    const effect = { before: after < 0 ? undefined : states[0], after: states[1], events };
    return { steps: steps?.(effect) ?? this.shown(write).own, ...omitUndefined({ unsettled: unsettled?.(effect) }) };
  }

  private described(stream: string): PlannedResource<unknown> | undefined {
    return this.byCategory.get(splitStream(stream).category);
  }
}

interface Shown {
  /** The step of the resource itself; none for streams that are not of a described resource. */
  readonly own: readonly PlanStep[];
  readonly diff: readonly PlannedChange[];
}

function changesOf(
  { type, id }: PlanStep['resource'],
  was: Document | undefined,
  is: Document | undefined,
): readonly PlannedChange[] {
  const isNew = id === undefined;
  const fields = isNew ? diffJson({}, fieldsOf(is, true) ?? {}) : diffJson(fieldsOf(was, false), fieldsOf(is, false));
  const resource = isNew ? { type } : { type, id };
  return fields.map(change => ({ ...change, resource }));
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
