import { RefusedError, type Actor, type RequestMeta } from '@stave/contracts';
import { isUuid } from '@stave/domain';
import { NameIndex } from './name-index.js';
import { mayTouch, notFoundError, projectOf } from './access.js';
import { ResourceModel } from './resource-model.js';

export interface Named<S> {
  readonly id: string;
  readonly state: S;
}

export interface FoundKind<S extends { readonly deleted: boolean }> {
  /** As in "the node group does not exist". */
  readonly what: string;
  readonly model: Pick<ResourceModel<S>, 'get' | 'ids' | 'load'>;
  /** Undefined for what was never made. */
  readonly identity: (state: S) => { readonly name: string; readonly projectId: string } | undefined;
  /** Only these are searched for a name; default: all of the requester's project. */
  readonly ids?: () => Iterable<string>;
  /** What else must hold of it. */
  readonly fits?: (state: S) => boolean;
}

/** Finds a resource of the requester by id or name. Throws RefusedError `not-found` and `ambiguous-name`. */
export type Finder<S> = (meta: Pick<RequestMeta, 'actor'>, ref: string) => Promise<Named<S>>;

/** Returns a finder for resources of one type; it sees everything that was acknowledged before the request. */
export const finderOf =
  <S extends { readonly deleted: boolean }>(
    feed: { caughtUp(): Promise<void> },
    what: string,
    model: ResourceModel<S>,
    identity: FoundKind<S>['identity'],
  ): Finder<S> =>
  ({ actor }, ref) =>
    findResource(actor, ref, { what, model, identity }, () => feed.caughtUp());

const MOST_CANDIDATES = 20;

/**
 * The requester's own resource of this id or, after `caughtUp`, of this name (without regard to case). Ids reach every project that the
 * requester may touch; names those of its own project, as in {@link projectOf}, unless `ids` says where to look. Sees everything that was
 * acknowledged before. Throws RefusedError: `not-found`, also for what belongs to others; `ambiguous-name` with the candidates.
 */
export async function findResource<S extends { readonly deleted: boolean }>(
  actor: Actor,
  ref: string,
  kind: FoundKind<S>,
  caughtUp: () => Promise<void>,
): Promise<Named<S>> {
  const { model, what, identity, fits = () => true } = kind;
  const visible = (state: S): boolean => {
    const { projectId } = identity(state) ?? {};
    return projectId !== undefined && !state.deleted && mayTouch(actor, projectId) && fits(state);
  };
  if (isUuid(ref)) {
    const { state } = await model.load(ref);
    if (visible(state)) return { id: ref, state };
    throw new RefusedError(notFoundError(what));
  }
  await caughtUp();
  const name = ref.toLowerCase();
  const isNamed = (state: S): boolean => {
    const { name: own, projectId } = identity(state) ?? {};
    return own?.toLowerCase() === name && (kind.ids !== undefined || projectId === projectOf(actor));
  };
  const found = [...candidatesFor(kind, name)].flatMap(id => {
    const state = model.get(id);
    return state && isNamed(state) && visible(state) ? [{ id, state }] : [];
  });
  return only(found, what);
}

function candidatesFor<S extends { readonly deleted: boolean }>(kind: FoundKind<S>, name: string): Iterable<string> {
  if (kind.ids) return kind.ids();
  return kind.model instanceof ResourceModel ? namesIn<S>(kind.model, kind).idsOf(name) : kind.model.ids();
}

const indexes = new WeakMap<object, NameIndex<never>>();

/** One for each model, whoever asks. */
function namesIn<S extends { readonly deleted: boolean }>(
  model: ResourceModel<S>,
  { identity }: FoundKind<S>,
): NameIndex<S> {
  const known = indexes.get(model);
  if (known) return known as unknown as NameIndex<S>; // made below, of the same model
  const made = new NameIndex<S>(model, state => identity(state)?.name);
  indexes.set(model, made as unknown as NameIndex<never>);
  return made;
}

function only<S>(found: readonly Named<S>[], what: string): Named<S> {
  const [first] = found;
  if (!first) throw new RefusedError(notFoundError(what));
  if (found.length === 1) return first;
  const candidates = found.slice(0, MOST_CANDIDATES).map(f => f.id);
  throw new RefusedError({
    code: 'ambiguous-name',
    kind: 'conflict',
    detail: `several resources have this name: ${candidates.join(', ')}`,
    extra: { candidates },
  });
}
