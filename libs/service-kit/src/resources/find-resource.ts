import { RefusedError, type Actor } from '@stave/contracts';
import { getOrCreate, isUuid, notFound } from '@stave/domain';
import { mayTouch, namingProjectsOf } from './access.js';
import { ResourceModel } from './resource-model.js';

export interface Named<S> {
  readonly id: string;
  readonly state: S;
}

export interface FoundKind<S extends { readonly deleted: boolean }> {
  readonly model: Pick<ResourceModel<S>, 'description' | 'get' | 'ids' | 'lookUp'>;
  readonly identity: (state: S) => { readonly name: string; readonly projectId: string };
  /** Further resources, which were acknowledged with others and are not created yet. */
  readonly awaited?: () => Iterable<Named<S>>;
  /** The resources among which a name is looked up; default: all of the requester's project. */
  readonly ids?: () => Iterable<string>;
  /** A further condition on the resource. */
  readonly fits?: (state: S) => boolean;
}

/** A request that names a resource. */
export interface Search {
  readonly actor: Actor;
  /** What this process knows is enough, and the store is not read. Default: everything is seen that was acknowledged before the request. */
  readonly asKnown?: boolean;
}

/** Finds a resource of the requester by id or name. Throws RefusedError `not-found` and `ambiguous-name`. */
export type Finder<S> = (search: Search, ref: string) => Promise<Named<S>>;

/** Returns a finder for resources of one type. */
export const finderOf =
  <S extends { readonly deleted: boolean }>(
    feed: { caughtUp(): Promise<void> },
    model: ResourceModel<S>,
    identity: FoundKind<S>['identity'],
  ): Finder<S> =>
  (search, ref) =>
    findResource(search, ref, { model, identity }, () => feed.caughtUp());

const MOST_CANDIDATES = 20;

/**
 * Finds the resource of this id or of this name (without regard to case); calls `caughtUp` first unless what is known is enough. Ids reach
 * every project that the requester may touch; names those of its own projects, as in {@link namingProjectsOf}, unless `ids` limits the search.
 * Throws RefusedError: `not-found`, also for resources of others; `ambiguous-name` with the candidates.
 */
export async function findResource<S extends { readonly deleted: boolean }>(
  { actor, asKnown = false }: Search,
  ref: string,
  kind: FoundKind<S>,
  caughtUp: () => Promise<void>,
): Promise<Named<S>> {
  const { model, identity, fits = () => true } = kind;
  const isVisible = (state: S): boolean => !state.deleted && mayTouch(actor, identity(state).projectId) && fits(state);
  const visible = (id: string, state: S | undefined): Named<S>[] => (state && isVisible(state) ? [{ id, state }] : []);
  const awaited = (): readonly Named<S>[] => [...(kind.awaited?.() ?? [])];
  if (isUuid(ref)) {
    const state = asKnown ? model.get(ref) : (await model.lookUp(ref)).state;
    if (state || asKnown || !kind.awaited) return only(visible(ref, state), model.description);
    await caughtUp();
    const found = awaited().find(({ id }) => id === ref)?.state ?? (await model.lookUp(ref)).state;
    return only(visible(ref, found), model.description);
  }
  if (!asKnown) await caughtUp();
  const name = ref.toLowerCase();
  const own = namingProjectsOf(actor);
  const isNamed = (state: S): boolean => {
    const { name: given, projectId } = identity(state);
    return given.toLowerCase() === name && (kind.ids !== undefined || own.includes(projectId));
  };
  const created = [...candidatesFor(kind, name)].flatMap(id => {
    const state = model.get(id);
    return state ? [{ id, state }] : [];
  });
  const found = [...created, ...awaited()].filter(({ state }) => isNamed(state) && isVisible(state));
  return only(found, model.description);
}

const indexes = new WeakMap<object, Pick<NameIndex<unknown>, 'idsOf'>>();

function candidatesFor<S extends { readonly deleted: boolean }>(kind: FoundKind<S>, name: string): Iterable<string> {
  const { model, identity, ids = () => model.ids() } = kind;
  if (kind.ids || !(model instanceof ResourceModel)) return ids();
  return getOrCreate(indexes, model, () => new NameIndex<S>(model, state => identity(state).name)).idsOf(name);
}

/** Returns the resource that was found. Throws RefusedError `not-found`, and `ambiguous-name` with the candidates. */
export function only<S>(found: readonly Named<S>[], what: string): Named<S> {
  const [first, ...others] = found;
  if (!first) throw new RefusedError(notFound(what));
  if (others.length === 0) return first;
  const candidates = found.slice(0, MOST_CANDIDATES).map(f => f.id);
  const detail = `several resources have this name: ${candidates.join(', ')}`;
  throw new RefusedError({ code: 'ambiguous-name', kind: 'conflict', detail, extra: { candidates } });
}

/** The part of a model that is indexed. */
export type NamedIds<S> = Pick<ResourceModel<S>, 'ids' | 'get' | 'watch'>;

/** Finds resources by name. Names do not change, so each resource is read once; those that do not exist are read every time. */
export class NameIndex<S> {
  private readonly byName = new Map<string, Set<string>>();
  private readonly unnamed: Set<string>;

  constructor(
    private readonly model: NamedIds<S>,
    private readonly nameOf: (state: S) => string,
  ) {
    this.unnamed = new Set(model.ids());
    model.watch({ entered: id => void this.unnamed.add(id), left: (id, state) => this.remove(id, state) });
  }

  /** Returns every resource in memory that has or had this name, without regard to case. */
  idsOf(name: string): readonly string[] {
    for (const id of this.unnamed) this.add(id);
    return [...(this.byName.get(name.toLowerCase()) ?? [])];
  }

  private add(id: string): void {
    const state = this.model.get(id);
    if (state === undefined) return;
    this.unnamed.delete(id);
    getOrCreate(this.byName, this.nameOf(state).toLowerCase(), () => new Set()).add(id);
  }

  private remove(id: string, state: S | undefined): void {
    this.unnamed.delete(id);
    if (state === undefined) return;
    const name = this.nameOf(state).toLowerCase();
    const ids = this.byName.get(name);
    ids?.delete(id);
    if (ids?.size === 0) this.byName.delete(name);
  }
}
