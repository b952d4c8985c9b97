import { splitStream } from '@stave/platform';
import { diffJson, type DomainEvent, type PlannedChange, type PlanStep } from '@stave/domain';
import type { DryRun } from './plan-record.js';
import type { Planned } from './plan-token.js';
import type { PlannedWrite } from './plan-watch.js';

type Document = Readonly<Record<string, unknown>>;

/** A resource before and after what would be appended to its stream; undefined where there is none. */
export interface PlannedEffect<S> {
  readonly before: S | undefined;
  readonly after: S;
  readonly events: readonly DomainEvent[];
}

/** What plans say of the resources of one stream category. */
export interface PlannedResource<S> {
  /** As in steps: `cluster`, `nodeGroup`, `node` … */
  readonly type: string;
  /** What clients see of it; undefined where there is none, or none any more. */
  readonly show: (state: S) => Document | undefined;
  /** What follows on the infrastructure; default: one step for the resource itself. */
  readonly steps?: (effect: PlannedEffect<S>) => readonly PlanStep[];
  /** Why nobody can say in advance what the steps will be; undefined where that can be said. */
  readonly unsettled?: (effect: PlannedEffect<S>) => string | undefined;
}

/** What moves by itself, without a change that anybody asked for. */
const HIDDEN: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'statusReason', 'health', 'healthReasons']);

function fieldsOf(document: Document | undefined, isNew: boolean): Document | undefined {
  if (!document) return undefined;
  const kept = Object.entries(document).filter(([field]) => !HIDDEN.has(field) && !(isNew && field === 'id'));
  return Object.fromEntries(kept);
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function resourceOf(type: string, document: Document | undefined, isNew: boolean): PlanStep['resource'] {
  const [id, name] = [isNew ? undefined : text(document?.['id']), text(document?.['name'])];
  return { type, ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) };
}

/** What is known of the resource types of a service, to say what a dry run came to. */
export class PlanDescriptions {
  private readonly byCategory = new Map<string, PlannedResource<unknown>>();

  add<S>(category: string, resource: PlannedResource<S>): void {
    // states of a category are folded by its one model
    this.byCategory.set(category, resource as PlannedResource<unknown>);
  }

  /** What would be appended, and what clients would see of that. */
  said({ writes }: DryRun): Pick<Planned, 'events' | 'diff' | 'origins'> {
    const events = writes.flatMap(({ stream, events: all }) => all.map(e => ({ type: e.type, stream, data: e.data })));
    const origins = events.flatMap(({ data }) => originsIn(data));
    return {
      events,
      diff: writes.flatMap(write => this.shown(write).diff),
      ...(origins.length === 0 ? {} : { origins: origins.length === 1 ? origins[0] : origins }),
    };
  }

  /** What would follow on the infrastructure; of large groups that takes a while. */
  follows({ writes }: DryRun): Pick<Planned, 'steps' | 'unsettled'> {
    const told = writes.map(write => this.following(write));
    const unsettled = told.find(t => t.unsettled !== undefined)?.unsettled;
    return { steps: told.flatMap(t => t.steps), ...(unsettled === undefined ? {} : { unsettled }) };
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

  private following(write: PlannedWrite): Pick<Planned, 'steps' | 'unsettled'> {
    const { stream, after, events, states } = write;
    const { steps, unsettled } = this.described(stream) ?? {};
    if (!states) return { steps: [] };
    const effect = { before: after < 0 ? undefined : states[0], after: states[1], events };
    const why = unsettled?.(effect);
    return { steps: steps?.(effect) ?? this.shown(write).own, ...(why === undefined ? {} : { unsettled: why }) };
  }

  private described(stream: string): PlannedResource<unknown> | undefined {
    return this.byCategory.get(splitStream(stream).category);
  }
}

interface Shown {
  /** The step of the resource itself. */
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

/** A creation keeps where its values came from, those of node groups that come with it beside their names. */
function originsIn(data: unknown): readonly unknown[] {
  const { origins, groups = [] } = (data ?? {}) as Originated;
  if (!origins) return [];
  // no member is named after a group: its name may be made afresh each time
  const nodeGroups = groups.flatMap(group => (group.origins ? [{ name: group.name, origins: group.origins }] : []));
  return [nodeGroups.length > 0 ? { ...origins, nodeGroups } : origins];
}
