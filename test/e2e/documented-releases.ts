import { expectStatus, uniqueName, type StaveClient } from '@stave/testing';
import type { NodeView, ResourceView } from './views.js';

/** Keeps a node whose removal waits for its release, and then releases it. */
export async function releasedNode(api: StaveClient, { id, nodeGroupId }: NodeView): Promise<void> {
  const properties = { hook: { timeoutSeconds: 600 } };
  const body = { name: uniqueName('hook'), type: 'deletion', properties };
  const policy = expectStatus(await api.post<ResourceView>('/v1/policies', body), 201).body;
  const attachment = `/v1/node-groups/${nodeGroupId}/policies/${policy.id}`;
  expectStatus(await api.put(attachment, {}), 200);
  for (const action of ['abort', 'release']) {
    expectStatus(await api.delete(`/v1/nodes/${id}?lowerMin=true`), 202);
    expectStatus(await api.post(`/v1/nodes/${id}/actions/${action}`, {}), 200);
  }
  expectStatus(await api.delete(attachment), 204);
}
