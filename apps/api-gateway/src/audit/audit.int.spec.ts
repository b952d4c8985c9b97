import { commandSubject } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { aResource, GatewayStub } from '../testing/gateway-stub.js';

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
