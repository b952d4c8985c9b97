import type { ServerResponse } from 'node:http';
import { eventually, expectStatus, operationIdOf } from '@stave/testing';
import { Fleet, large } from './fleet.js';
import { HookHost } from './hook-host.js';
import { EmbeddedStack } from './stack.js';
import type { CloudEventView, NodeGroupView, NodeView, ResourceView } from './views.js';

jest.setTimeout(300_000);

const LONG = { timeoutMs: 60_000 };

interface Asked {
  readonly nodeId: string;
  readonly until: string;
}
interface NodeEvent extends CloudEventView {
  readonly data: { readonly delivered?: boolean; readonly until?: string };
}

describe('nodes that wait for their release although the product is killed with SIGKILL', () => {
  let running: EmbeddedStack;
  let fleet: Fleet;
  let host: HookHost<Asked>;
  beforeEach(async () => {
    host = new HookHost<Asked>();
    await host.start();
    running = await EmbeddedStack.start();
    fleet = new Fleet(running);
  });
  afterEach(async () => {
    await running.end('SIGKILL');
    await host.end();
  });

  async function kill(): Promise<void> {
    await running.end('SIGKILL');
    running = await EmbeddedStack.start(running.dataDir);
    fleet = new Fleet(running);
  }

  /** A group of two nodes with this hook that is to have one, and the operation that asked for it. */
  async function scaledIn(hook: object): Promise<{ group: NodeGroupView; operation: string }> {
    const { id: cluster } = await fleet.cluster({}, [{ count: 2, flavor: large }]);
    const group = await fleet.group(cluster);
    const policy = { name: 'hook', type: 'deletion', properties: { hook } };
    expectStatus(await fleet.api.post<ResourceView>('/v1/policies', policy), 201);
    expectStatus(await fleet.api.put(`/v1/node-groups/${group.id}/policies/hook`, {}), 200);
    const answer = await fleet.api.post(`/v1/node-groups/${group.id}/actions/resize`, { count: 1 });
    return { group, operation: operationIdOf(answer) ?? '' };
  }
  const nodesOf = ({ clusterId }: NodeGroupView): Promise<readonly NodeView[]> => fleet.nodes(clusterId);
  const leaving = (group: NodeGroupView): Promise<NodeView> =>
    eventually(async () => (await nodesOf(group)).find(node => node.status === 'DELETING'), LONG);
  const eventsOf = ({ id }: ResourceView, type: string): Promise<readonly NodeEvent[]> =>
    fleet.api
      .list<NodeEvent>(`/v1/nodes/${id}/events?limit=200`)
      .then(events => events.filter(event => event.type === `stave.node.${type}.v1`));
  const release = async ({ id }: ResourceView): Promise<void> => {
    expectStatus(await fleet.api.post(`/v1/nodes/${id}/actions/release`, {}), 200);
  };

  it('the victim stays the one that goes, in service until it is released, and goes then', async () => {
    const { group, operation } = await scaledIn({ timeoutSeconds: 600 });
    const victim = await leaving(group);
    await kill();
    const shown = (await nodesOf(group)).map(({ id, status, schedulable }) => [id === victim.id, status, schedulable]);
    expect(shown.sort()).toEqual([
      [false, 'ACTIVE', true],
      [true, 'DELETING', false],
    ]);
    expect(await eventsOf(victim, 'removalRequested')).toEqual([]);
    await release(victim);
    await kill();
    expect((await fleet.api.operation(operation, 60_000)).status).toBe('SUCCEEDED');
    expect((await nodesOf(group)).map(({ id, status }) => [id === victim.id, status])).toEqual([[false, 'ACTIVE']]);
    expect(await eventsOf(victim, 'releaseAwaited')).toHaveLength(1);
    expect(await fleet.api.read<NodeGroupView>(`/v1/node-groups/${group.id}`)).toMatchObject({ count: 1 });
  });

  it('a host that was being asked is asked again for the same node and time', async () => {
    const held: ServerResponse[] = [];
    host.answer = response => held.push(response);
    const { group, operation } = await scaledIn({ timeoutSeconds: 600, url: host.url });
    const victim = await leaving(group);
    await eventually(() => held.length > 0, { ...LONG, what: 'the host is asked' });
    host.answer = response => response.writeHead(204).end();
    await kill();
    const requested = (): Promise<readonly NodeEvent[]> => eventsOf(victim, 'releaseRequested');
    await eventually(async () => (await requested()).length > 0, { ...LONG, what: 'the host has answered' });
    expect(host.asked.length).toBeGreaterThanOrEqual(2);
    const [awaited] = await eventsOf(victim, 'releaseAwaited');
    const asked = new Set(host.asked.map(({ nodeId, until }) => `${nodeId} ${until}`));
    expect([...asked]).toEqual([`${victim.id} ${awaited?.data.until}`]);
    expect((await requested()).map(({ data }) => data.delivered)).toEqual([true]);
    await release(victim);
    expect((await fleet.api.operation(operation, 60_000)).status).toBe('SUCCEEDED');
    expect((await nodesOf(group)).map(({ id }) => id)).not.toContain(victim.id);
  });

  it('after the answer of the host the time runs out at the same instant, and the node and the count are kept', async () => {
    const answered = new Promise<void>(resolve => {
      host.answer = response => response.writeHead(204).end(resolve);
    });
    const hook = { timeoutSeconds: 20, onTimeout: 'abort', url: host.url };
    const { group, operation } = await scaledIn(hook);
    await answered;
    const victim = host.asked[0]?.nodeId ?? '';
    await kill();
    const ended = await fleet.api.operation(operation, 60_000);
    expect([ended.status, ended.error?.code]).toEqual(['FAILED', 'release-aborted']);
    expect(ended.error?.detail).toContain(host.asked[0]?.until);
    expect(new Set(host.asked.map(({ nodeId, until }) => `${nodeId} ${until}`)).size).toBe(1);
    expect((await eventsOf({ id: victim } as ResourceView, 'releaseRequested')).length).toBeLessThanOrEqual(1);
    const isKept = async (): Promise<boolean> => {
      const nodes = await nodesOf(group);
      return nodes.length === 2 && nodes.every(({ status, schedulable }) => status === 'ACTIVE' && schedulable);
    };
    await eventually(isKept, { ...LONG, what: 'both nodes are in service' });
    expect(await fleet.api.read<NodeGroupView>(`/v1/node-groups/${group.id}`)).toMatchObject({ count: 2 });
  });
});
