import { RefusedError, type RequestMeta } from '@stave/contracts';
import { withOwnSetIds, withSetIds } from '../policies/named-sets.js';
import { resolvePlacementTarget } from './placement-target.js';

const meta: RequestMeta = { correlationId: 'c', actor: { keyId: 'k', role: 'member', project: 'p' } };
const catchingUp = { code: 'catching-up', kind: 'unavailable', detail: 'later', retryAfterMs: 1_000 } as const;
const refuses = () => Promise.reject(new RefusedError(catchingUp));
const lookup = { node: refuses, cluster: refuses, set: refuses };
const rules = [{ kind: 'apart', by: 'node', with: { set: 'web' } }];

describe('a reference that a process behind the log cannot look up yet', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['host cluster', () => resolvePlacementTarget(lookup, meta, { hostCluster: 'alpha' })],
    ['host node', () => resolvePlacementTarget(lookup, meta, { hostNode: 'a1', hostCluster: 'alpha' })],
    ['set of a policy', () => withSetIds(lookup, meta, { rules })],
    ['set of a container', () => withOwnSetIds(lookup, meta, { affinity: rules })],
  ])('is not called unknown: the request can be repeated (%s)', async (_of, attempt) => {
    await expect(attempt()).rejects.toMatchObject({ error: catchingUp });
  });
});
