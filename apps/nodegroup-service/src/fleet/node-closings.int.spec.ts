import { commandSubject, RefusedError, type CommandResult } from '@stave/contracts';
import type { Replica } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

interface Asked {
  readonly stream: string;
  readonly after: number;
  readonly reason: string;
  readonly nodeIds: readonly string[];
  readonly discarded: readonly string[];
}

const CLOSE_NODES = commandSubject('container-scheduler', 'volume', 'close-nodes');

describe('the removal of nodes of a driver that makes volumes', () => {
  let harness: NodeGroupHarness;
  let replica: Replica;
  let group: string;
  let nodeIds: readonly string[];
  const asked: Asked[] = [];
  /** The nodes that have data, by the ledger alone: nodegroup-service has not heard of it. */
  const holding = new Set<string>();

  async function open(count: number, capabilities: readonly string[] = ['volumes']): Promise<void> {
    harness = await NodeGroupHarness.open({ capabilities });
    replica = await harness.replica();
    const { groupIds } = await harness.cluster({ w: count });
    group = groupIds[0] ?? '';
    await harness.workUntil(async () => (await harness.all('NodeGroupBecameActive')).length > 0, 'the group is ACTIVE');
    nodeIds = await harness.nodeIds();
  }
  /** Plays container-scheduler. */
  function serve(): void {
    replica.messaging.serve(CLOSE_NODES, 'container-scheduler', async payload => {
      const { body } = payload as { readonly body: Asked };
      asked.push(body);
      const held = body.nodeIds.filter(id => holding.has(id) && !body.discarded.includes(id));
      const extra = { volumes: held.map(() => 'books'), nodeIds: held };
      const error = { code: 'holds-volumes', kind: 'conflict', detail: 'nodes have data', extra };
      return held.length > 0 ? { ok: false, error } : { ok: true, data: {} };
    });
  }
  beforeEach(() => {
    asked.length = 0;
    holding.clear();
  });
  afterEach(() => harness.close());

  const remove = (id: string, more: object = {}): Promise<CommandResult> =>
    replica.ask('node', 'delete', { id, ...more });
  const onGroup = (verb: string, body: object = {}): Promise<CommandResult> =>
    replica.ask('node-group', verb, { id: group, ...body });
  const refusal = (answer: Promise<unknown>): Promise<unknown> =>
    answer.then(
      () => undefined,
      (error: unknown) => (error instanceof RefusedError ? error.error : error),
    );
  const removals = () => harness.events(`nodeGroup-${group}`, 'NodeRemovalAccepted');
  const ended = (operationId: string | undefined, status: string) =>
    harness.workUntil(
      async () =>
        (await harness.all('OperationEnded')).some(({ data }) => {
          const end = data as { readonly operationId: string; readonly status: string };
          return end.operationId === operationId && end.status === status;
        }),
      `${operationId} has ended ${status}`,
    );

  it('is accepted after the nodes are closed for the place in the stream at which it is appended', async () => {
    await open(3);
    serve();
    await remove(nodeIds[1] ?? '');
    const [accepted] = await removals();
    expect(asked).toMatchObject([
      { stream: `nodeGroup-${group}`, nodeIds: [nodeIds[1]], discarded: [], reason: 'to be removed' },
    ]);
    expect(asked[0]?.after).toBe((accepted?.revision ?? 0) - 1);
  });

  it('is refused where the ledger has data on the node that no event shows yet, and allowed by discardVolumes', async () => {
    await open(2);
    serve();
    const [id = ''] = nodeIds;
    holding.add(id);
    const refused = await refusal(remove(id));
    expect(refused).toMatchObject({ code: 'holds-volumes', kind: 'conflict' });
    expect((refused as { readonly extra: object }).extra).toEqual({ volumes: ['books'] });
    const all = await refusal(onGroup('delete'));
    expect(all).toMatchObject({ code: 'holds-volumes', extra: { volumes: ['books'] } });
    const rebuilt = await refusal(replica.ask('node', 'action', { id, action: 'rebuild' }));
    expect(rebuilt).toMatchObject({ code: 'holds-volumes', extra: { volumes: ['books'] } });
    expect(await removals()).toEqual([]);
    await remove(id, { discardVolumes: true });
    expect(asked.at(-1)).toMatchObject({ nodeIds: [id], discarded: [id] });
    await onGroup('delete', { discardVolumes: true });
    expect(asked.at(-1)).toMatchObject({ nodeIds: nodeIds.slice(1), discarded: nodeIds.slice(1) });
  });

  it('passes over a node with such data when a smaller count leaves the choice', async () => {
    await open(3);
    serve();
    const youngest = nodeIds.at(-1) ?? '';
    holding.add(youngest);
    const { operationId } = await onGroup('action', { action: 'resize', count: 2 });
    await ended(operationId, 'SUCCEEDED');
    const [accepted] = await removals();
    expect((accepted?.data as { readonly nodeIds: readonly string[] }).nodeIds).not.toContain(youngest);
    expect(asked.map(each => each.nodeIds.length)).toEqual([1, 1]);
  });

  it('passes over it in a rolling change, whose operation fails', async () => {
    await open(2);
    serve();
    const [kept = ''] = nodeIds;
    holding.add(kept);
    const { operationId } = await onGroup('patch', { patch: { flavor: { memoryMb: 1024 } } });
    await ended(operationId, 'FAILED');
    const gone = (await removals()).flatMap(({ data }) => (data as { readonly nodeIds: readonly string[] }).nodeIds);
    expect(gone).toContain(nodeIds[1]);
    expect(gone).not.toContain(kept);
  });

  it('is tried again later where container-scheduler does not answer', async () => {
    await open(1);
    expect(await refusal(remove(nodeIds[0] ?? ''))).toMatchObject({
      code: 'dependency-unavailable',
      kind: 'unavailable',
      retryAfterMs: 1_000,
    });
    expect(await removals()).toEqual([]);
  });

  it('asks nobody where the driver makes no volumes', async () => {
    await open(1, []);
    await remove(nodeIds[0] ?? '');
    expect(await removals()).toHaveLength(1);
  });
});
