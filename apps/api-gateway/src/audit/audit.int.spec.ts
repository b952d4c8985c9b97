import { commandSubject } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { aResource, anEvent, GatewayStub } from '../testing/gateway-stub.js';

const cluster = { name: 'web', driver: 'fake', nodeGroups: [] };
const id = '0198c5a0-0000-7000-8000-000000000001';

describe('what the gateway adds to the audit', () => {
  let stub: GatewayStub;
  beforeEach(async () => {
    stub = await GatewayStub.start();
    stub.serve('cluster-service', 'cluster', 'create', () => ({ ok: true, data: { resource: aResource() } }));
    stub.serve('cluster-service', 'cluster', 'list', () => ({ ok: true, data: { items: [], nextCursor: null } }));
  });
  afterEach(() => stub.close());

  const audited = async (count: number): Promise<GatewayStub['audited']> => {
    await eventually(() => stub.audited.length >= count, `${count} entries`);
    return stub.audited;
  };

  it('is an accepted change with its requester, address, operation, target and correlation', async () => {
    await stub.call('POST', '/v1/clusters', { body: cluster, headers: { 'x-correlation-id': 'mine-1' } });
    const [entry] = await audited(1);
    expect(entry).toEqual({
      id: expect.any(String),
      time: expect.stringMatching(/Z$/),
      subject: 'k-admin',
      keyId: 'k-admin',
      method: 'api-key',
      from: '127.0.0.1',
      operation: 'createCluster',
      target: { type: 'cluster', id },
      projectId: 'p1',
      outcome: 'accepted',
      status: 201,
      correlationId: 'mine-1',
    });
  });

  it('is a refused change with the code: for the role, by the rules of the service, and a malformed one', async () => {
    stub.serve('cluster-service', 'cluster', 'delete', () => ({
      ok: false,
      error: { code: 'not-found', kind: 'not-found', detail: 'no' },
    }));
    await stub.call('POST', '/v1/clusters', { key: 'reader', body: cluster });
    await stub.call('DELETE', `/v1/clusters/${id}`, { key: 'member' });
    await stub.call('POST', '/v1/clusters', { key: 'member', body: { name: 5 } });
    const entries = await audited(3);
    expect(entries.map(({ subject, status, code, target }) => [subject, status, code, target])).toEqual([
      ['k-reader', 403, 'forbidden', undefined],
      ['k-member', 404, 'not-found', { type: 'cluster', id }],
      ['k-member', 400, expect.any(String), undefined],
    ]);
    expect(new Set(entries.map(({ outcome, projectId }) => `${outcome} ${projectId}`))).toEqual(
      new Set(['refused p1']),
    );
  });

  const reply =
    (resource: object, more: object = {}) =>
    () =>
      ({ ok: true, data: { resource, ...more } }) as const;

  it('names what was deleted, or limited, by its id also where the request names it by its name', async () => {
    stub.serve('cluster-service', 'cluster', 'delete', reply(aResource(), { operationId: 'c-1' }));
    stub.serve('cluster-service', 'project', 'delete', reply(aResource({ id: 'p1', projectId: 'p1' })));
    const limited = { projectId: 'p1', limits: {}, used: {}, revision: 1 };
    stub.serve('cluster-service', 'project', 'limit', reply(limited, { target: { id: 'p1', projectId: 'p1' } }));
    await stub.call('DELETE', '/v1/clusters/web');
    await stub.call('DELETE', '/v1/projects/shop');
    await stub.call('PUT', '/v1/projects/shop/quotas', { body: { limits: {} } });
    expect((await audited(3)).map(({ target, projectId }) => [target, projectId])).toEqual([
      [{ type: 'cluster', id }, 'p1'],
      [{ type: 'project', id: 'p1' }, 'p1'],
      [{ type: 'project', id: 'p1' }, 'p1'],
    ]);
  });

  it('says of whom the membership was changed, and in which project', async () => {
    const member = { subject: 'auth0|eva', role: 'reader' };
    const target = { target: { id: 'p1', projectId: 'p1' } };
    stub.serve('cluster-service', 'project', 'attach', reply(member, target));
    stub.serve('cluster-service', 'project', 'detach', reply(aResource({ id: 'p1', projectId: 'p1' })));
    const path = `/v1/projects/shop/members/${encodeURIComponent('auth0|eva')}`;
    const set = await stub.call('PUT', path, { body: { role: 'reader' } });
    expect(await set.json()).toEqual(member);
    await stub.call('DELETE', path);
    await stub.call('DELETE', path, { key: 'reader' });
    await stub.call('DELETE', '/v1/projects/shop/members/stv_0198c5a0_averysecretsecret');
    expect((await audited(4)).map(({ target: named, projectId }) => [named, projectId])).toEqual([
      [{ type: 'projectMember', id: 'p1/auth0|eva' }, 'p1'],
      [{ type: 'projectMember', id: 'p1/auth0|eva' }, 'p1'],
      [{ type: 'projectMember', id: 'shop/auth0|eva' }, 'p1'],
      [undefined, 'shop'],
    ]);
  });

  it('names what a policy is attached to, and the cluster below which a creation was refused', async () => {
    const attached = aResource({ id: 'policy-1', targetType: 'nodeGroup', targetId: id });
    stub.serve('container-scheduler', 'policy', 'attach', reply(attached, { target: { id, projectId: 'p1' } }));
    stub.serve('container-scheduler', 'policy', 'detach', reply(aResource({ projectId: null })));
    await stub.call('PUT', '/v1/node-groups/gpu/policies/fill', { body: {} });
    await stub.call('DELETE', '/v1/node-groups/gpu/policies/fill');
    await stub.call('POST', '/v1/clusters/web/node-groups', { key: 'reader', body: {} });
    expect((await audited(3)).map(({ target }) => target)).toEqual([
      { type: 'nodeGroup', id },
      { type: 'nodeGroup', id },
      { type: 'cluster', id: 'web' },
    ]);
  });

  it('names what is changed, where a change fails, and not what is around it', async () => {
    const gone = { ok: false, error: { code: 'not-found', kind: 'not-found', detail: 'no' } } as const;
    stub.serve('nodegroup-service', 'node-group', 'delete', () => gone);
    stub.serve('container-scheduler', 'policy', 'attach', () => gone);
    stub.serve('container-scheduler', 'policy', 'detach', () => gone);
    await stub.call('DELETE', '/v1/clusters/shop/node-groups/workers');
    await stub.call('PUT', '/v1/node-groups/workers/policies/careful', { body: {} });
    await stub.call('DELETE', '/v1/clusters/shop/policies/careful');
    expect((await audited(3)).map(({ operation, target }) => [operation, target])).toEqual([
      ['deleteClusterNodeGroup', { type: 'nodeGroup', id: 'workers' }],
      ['attachPolicyToNodeGroup', { type: 'nodeGroup', id: 'workers' }],
      ['detachPolicyFromCluster', { type: 'cluster', id: 'shop' }],
    ]);
  });

  it('has the project that a refused change of an operator names: by header, by its path, or by its resource', async () => {
    const refused = { ok: false, error: { code: 'forbidden', kind: 'forbidden', detail: 'no' } } as const;
    stub.serve('cluster-service', 'project', 'delete', () => refused);
    stub.serve('cluster-service', 'cluster', 'delete', () => refused);
    stub.serve('nodegroup-service', 'node-group', 'create', () => refused);
    stub.serve('container-scheduler', 'policy', 'attach', () => refused);
    const ofService = reply(aResource({ projectId: 'p4' }));
    stub.serve('cluster-service', 'cluster', 'get', () => ({ ok: true, data: ofService().data.resource }));
    await stub.store.append(`cluster-${id}`, [anEvent('ClusterCreated', { project: 'p3' })], 'no_stream');
    const headers = { 'stave-project': 'p2' };
    await stub.call('DELETE', `/v1/clusters/${id}`, { headers });
    await stub.call('DELETE', '/v1/projects/shop', { headers });
    await stub.call('DELETE', '/v1/projects/shop');
    await stub.call('PUT', '/v1/projects/shop/quotas', { body: { limits: 5 } });
    await stub.call('DELETE', `/v1/clusters/${id}`);
    await stub.call('DELETE', '/v1/clusters/web');
    await stub.call('PUT', '/v1/clusters/web/policies/fill', { body: {} });
    await stub.call('POST', '/v1/clusters', { body: { name: 5 } });
    const entries = await audited(8);
    expect(entries.map(({ operation, projectId }) => `${operation} ${projectId}`).sort()).toEqual(
      [
        'deleteCluster p2',
        'deleteProject p2',
        'deleteProject shop',
        'updateProjectQuotas shop',
        'deleteCluster p3',
        'deleteCluster p4',
        'attachPolicyToCluster p4',
        'createCluster null',
      ].sort(),
    );
  });

  it('has no project where the one that a refused change of an operator names cannot be found out', async () => {
    const away = { ok: false, error: { code: 'away', kind: 'unavailable', detail: 'away' } } as const;
    stub.serve('cluster-service', 'cluster', 'delete', () => away);
    stub.serve('cluster-service', 'cluster', 'get', () => away);
    await stub.call('DELETE', '/v1/clusters/web');
    expect((await audited(1)).map(({ projectId, target }) => [projectId, target?.id])).toEqual([[null, 'web']]);
  });

  it('is empty for a project that does not exist, as all lists are', async () => {
    await stub.call('POST', '/v1/clusters', { body: cluster });
    await audited(1);
    stub.projectsSince = Infinity;
    const answer = await stub.call('GET', '/v1/audit?projectId=nope');
    expect([answer.status, await answer.json()]).toEqual([200, { items: [], nextCursor: null }]);
  });

  it('refuses a filter for an operation or an outcome that does not exist, by its parameter', async () => {
    for (const [name, value] of [
      ['operation', 'createClutser'],
      ['outcome', 'acepted'],
    ] as const) {
      const refused = await stub.call('GET', `/v1/audit?${name}=${value}`);
      expect([refused.status, await refused.json()]).toEqual([
        400,
        expect.objectContaining({ errors: [expect.objectContaining({ pointer: `?${name}`, code: 'not-allowed' })] }),
      ]);
    }
    for (const operation of ['createCluster', 'listClusters', 'postDriverOperation'])
      expect((await stub.call('GET', `/v1/audit?operation=${operation}`)).status).toBe(200);
  });

  it('is neither a read, nor a plan, nor a request of nobody, nor what looks like a key in a path', async () => {
    await stub.call('GET', '/v1/clusters');
    await stub.call('POST', '/v1/clusters?dryRun=true', { body: cluster });
    await stub.call('POST', '/v1/clusters', { key: 'unknown', body: cluster });
    await stub.call('POST', '/v1/clusters', { key: null, body: cluster });
    const secret = 'stv_0198c5a0_averysecretsecret';
    await stub.call('DELETE', `/v1/api-keys/${secret}`, { body: undefined });
    const entries = await audited(1);
    expect(entries.map(({ operation, target }) => [operation, target])).toEqual([['deleteApiKey', undefined]]);
    expect(JSON.stringify(entries)).not.toContain('averysecret');
  });

  it('waits while cluster-service does not keep it, and is handed over at the end of the gateway', async () => {
    const kept: unknown[] = [];
    let isAway = true;
    const other = await GatewayStub.start({}, { withoutAudit: true });
    other.serve('cluster-service', 'cluster', 'create', () => ({ ok: true, data: { resource: aResource() } }));
    other.answer(commandSubject('cluster-service', 'audit', 'record'), async payload => {
      if (isAway) return { ok: false, error: { code: 'away', kind: 'unavailable', detail: 'away' } };
      kept.push(payload);
      return { ok: true, data: {} };
    });
    await other.call('POST', '/v1/clusters', { body: cluster });
    await other.call('POST', '/v1/clusters', { body: cluster });
    isAway = false;
    await other.close();
    const entries = kept.flatMap(message => (message as { body: { entries: object[] } }).body.entries);
    expect(entries).toHaveLength(2);
  });
});
