import { RefusedError, type RequestMeta } from '@stave/contracts';
import type { ClusterState, NodeGroupState, NodeState } from '@stave/domain';
import { mayTouch, notFoundError } from '@stave/platform';
import type { NodeGroupModels } from '../nodegroup-models.js';

const looksLikeId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

export interface Named<S> {
  readonly id: string;
  readonly state: S;
}

/** Resolves ids and names of the requester's own; sees everything that was acknowledged before the request. */
export class Find {
  constructor(
    private readonly models: NodeGroupModels,
    private readonly caughtUp: () => Promise<void>,
  ) {}

  async cluster(meta: RequestMeta, ref: string): Promise<Named<ClusterState>> {
    if (looksLikeId(ref)) {
      const { state } = await this.models.clusters.load(ref);
      if (state.created && !state.deleted && mayTouch(meta.actor, state.created.projectId)) return { id: ref, state };
      throw new RefusedError(notFoundError('the cluster'));
    }
    await this.caughtUp();
    const found = [...this.models.clusters.all()].flatMap(([id, { state }]) => {
      const hit =
        state.created?.name.toLowerCase() === ref.toLowerCase() &&
        !state.deleted &&
        mayTouch(meta.actor, state.created.projectId);
      return hit ? [{ id, state }] : [];
    });
    return only(found, 'the cluster');
  }

  async group(meta: RequestMeta, ref: string, clusterRef?: string): Promise<Named<NodeGroupState>> {
    const clusterId = clusterRef === undefined ? undefined : (await this.cluster(meta, clusterRef)).id;
    if (looksLikeId(ref)) {
      const { state } = await this.models.groups.load(ref);
      const fits = clusterId === undefined || state.declared?.clusterId === clusterId;
      if (state.declared && !state.deleted && fits && mayTouch(meta.actor, state.declared.projectId))
        return { id: ref, state };
      throw new RefusedError(notFoundError('the node group'));
    }
    await this.caughtUp();
    const ids = clusterId === undefined ? [...this.models.groups.ids()] : this.models.groupsOf(clusterId);
    const found = ids.flatMap(id => {
      const state = this.models.groups.get(id);
      const hit =
        state?.declared?.name.toLowerCase() === ref.toLowerCase() &&
        !state.deleted &&
        mayTouch(meta.actor, state.declared.projectId);
      return hit ? [{ id, state }] : [];
    });
    return only(found, 'the node group');
  }

  async node(meta: RequestMeta, ref: string): Promise<Named<NodeState>> {
    if (looksLikeId(ref)) {
      const { state } = await this.models.nodes.load(ref);
      if (state.declared && !state.deleted && mayTouch(meta.actor, state.declared.projectId)) return { id: ref, state };
      throw new RefusedError(notFoundError('the node'));
    }
    await this.caughtUp();
    const found = [...this.models.nodes.all()].flatMap(([id, { state }]) => {
      const hit =
        state.declared?.name.toLowerCase() === ref.toLowerCase() &&
        !state.deleted &&
        mayTouch(meta.actor, state.declared.projectId);
      return hit ? [{ id, state }] : [];
    });
    return only(found, 'the node');
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
