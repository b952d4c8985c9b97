import { RefusedError, type Actor } from '@stave/contracts';
import { conflict, MAX_GROUPS, type ClusterTemplateState } from '@stave/domain';
import { notFoundError, referredAt, type Named } from '@stave/service-kit';
import type { Templates } from './templates.js';

const pointer = '/clusterTemplateId';

/**
 * The cluster template that a node group template is to stand in; undefined for none. `projectId`: of a node group template that exists.
 * Throws RefusedError: `not-found` (422), or `too-many-groups` (409) where it is full.
 */
export async function findParent(
  { find, models, runtime }: Templates,
  actor: Actor,
  ref: string | null,
  projectId?: string,
): Promise<Named<ClusterTemplateState> | undefined> {
  if (ref === null) return undefined;
  const parent = await referredAt(pointer, async () => {
    const found = await find.clusterTemplate(actor, ref);
    const foreign = projectId !== undefined && found.state.created?.projectId !== projectId;
    if (foreign) throw new RefusedError(notFoundError('the cluster template'));
    return found;
  });
  await runtime.feed.caughtUp();
  if (models.inside(parent.id).length < MAX_GROUPS) return parent;
  const detail = `a cluster template has ${MAX_GROUPS} node group templates at most`;
  const errors = [{ pointer, code: 'too-many-groups', detail }];
  throw new RefusedError({ ...conflict('too-many-groups', detail), errors });
}
