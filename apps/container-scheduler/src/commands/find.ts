import { RefusedError, type RequestMeta } from '@stave/contracts';
import type { ClusterState, ContainerProfileState, ContainerState, NodeState } from '@stave/domain';
import { mayTouch, notFoundError, type ResourceModel } from '@stave/platform';
import type { SchedulerModels } from '../scheduler-models.js';

const looksLikeId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

export interface Named<S> {
  readonly id: string;
  readonly state: S;
}

interface Identity {
  readonly name: string;
  readonly projectId: string;
}

interface Kind<S extends { readonly deleted: boolean }> {
  readonly what: string;
  readonly model: ResourceModel<S>;
  readonly identity: (state: S) => Identity | undefined;
}

/** Resolves ids and names of the requester's own; sees everything that was acknowledged before the request. */
export class Find {
  constructor(
    private readonly models: SchedulerModels,
    private readonly caughtUp: () => Promise<void>,
  ) {}

  cluster(meta: RequestMeta, ref: string): Promise<Named<ClusterState>> {
    return this.one(meta, ref, { what: 'the cluster', model: this.models.clusters, identity: s => s.created });
  }

  node(meta: RequestMeta, ref: string): Promise<Named<NodeState>> {
    return this.one(meta, ref, { what: 'the node', model: this.models.nodes, identity: s => s.declared });
  }

  profile(meta: RequestMeta, ref: string): Promise<Named<ContainerProfileState>> {
    const { profiles: model } = this.models;
    return this.one(meta, ref, { what: 'the container profile', model, identity: s => s.created });
  }

  container(meta: RequestMeta, ref: string): Promise<Named<ContainerState>> {
    const { containers: model } = this.models;
    return this.one(meta, ref, { what: 'the container', model, identity: s => s.declared });
  }

  private async one<S extends { readonly deleted: boolean }>(
    meta: RequestMeta,
    ref: string,
    kind: Kind<S>,
  ): Promise<Named<S>> {
    const visible = (state: S): boolean => {
      const identity = kind.identity(state);
      return identity !== undefined && mayTouch(meta.actor, identity.projectId);
    };
    if (looksLikeId(ref)) {
      const { state } = await kind.model.load(ref);
      if (visible(state) && !state.deleted) return { id: ref, state };
      throw new RefusedError(notFoundError(kind.what));
    }
    await this.caughtUp();
    const name = ref.toLowerCase();
    const found = [...kind.model.all()].flatMap(([id, { state }]) =>
      !state.deleted && kind.identity(state)?.name.toLowerCase() === name && visible(state) ? [{ id, state }] : [],
    );
    return only(found, kind.what);
  }
}

function only<S>(found: readonly Named<S>[], what: string): Named<S> {
  const [first] = found;
  if (!first) throw new RefusedError(notFoundError(what));
  if (found.length === 1) return first;
  const candidates = found.slice(0, 20).map(f => f.id);
  throw new RefusedError({
    code: 'ambiguous-name',
    kind: 'conflict',
    detail: `several resources have this name: ${candidates.join(', ')}`,
    extra: { candidates },
  });
}
