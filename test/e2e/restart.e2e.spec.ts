import { operationIdOf, type StaveAnswer } from '@stave/testing';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type { ClusterView } from './views.js';

describe('a restart of the product in one process', () => {
  let running: EmbeddedStack;
  beforeEach(async () => void (running = await EmbeddedStack.start()));
  afterEach(() => running.close());
  const again = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    const code = await running.end(signal);
    running = await EmbeddedStack.start(running.dataDir);
    return code;
  };

  it('the product exits with 0 on SIGTERM, and has all resources after the next start', async () => {
    const fleet = new Fleet(running);
    const { id } = await fleet.cluster({ labels: { kept: 'yes' } }, [{ count: 3, zones: ['a', 'b'] }]);
    const paths = [`/v1/clusters/${id}`, `/v1/clusters/${id}/nodes?sort=name`, `/v1/clusters/${id}/node-groups`];
    const look = (f: Fleet): Promise<unknown[]> => Promise.all(paths.map(path => f.api.read(path)));
    const [before, key] = [await look(fleet), running.adminKey];
    expect(await again('SIGTERM')).toBe(0);
    expect(running.adminKey).toBe(key);
    const later = new Fleet(running);
    expect(await look(later)).toEqual(before);
    await later.api.succeed(later.api.delete(`/v1/clusters/${id}`));
  });

  it('the product exits with 0 on SIGTERM during work, and finishes the work after the next start', async () => {
    const { ended, nodes } = await interrupted('SIGTERM');
    expect(ended.status).toBe('SUCCEEDED');
    expect(nodes).toHaveLength(6);
  });

  it('the product finishes work in progress after SIGKILL and a start', async () => {
    const { ended, nodes } = await interrupted('SIGKILL');
    expect(ended.status).toBe('SUCCEEDED');
    expect(new Set(nodes.map(({ infrastructureId }) => infrastructureId)).size).toBe(6);
  });

  it('the product keeps every acknowledged change after SIGKILL', async () => {
    const fleet = new Fleet(running);
    const acknowledged: string[] = [];
    const writers = Array.from({ length: 4 }, async () => {
      for (;;) {
        const answer: StaveAnswer<ClusterView> | undefined = await fleet.ask({}, []).catch(() => undefined);
        if (answer?.status !== 202) return;
        acknowledged.push(answer.body.id);
        if (acknowledged.length === 40) void running.end('SIGKILL');
      }
    });
    await Promise.all(writers);
    await again('SIGKILL');
    const later = new Fleet(running);
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);
    for (const id of acknowledged) expect(await later.api.read(`/v1/clusters/${id}`)).toMatchObject({ id });
  });

  async function interrupted(signal: 'SIGTERM' | 'SIGKILL') {
    const fleet = new Fleet(running);
    const answer = await fleet.ask({ options: { latencyMs: 700 } }, [{ count: 3 }, { name: 'x', count: 3 }]);
    const { id } = answer.body;
    await fleet.api.read(`/v1/operations/${operationIdOf(answer)}?wait=1s`);
    const code = await again(signal);
    expect(code).toBe(signal === 'SIGTERM' ? 0 : null);
    const later = new Fleet(running);
    const ended = await later.api.operation(operationIdOf(answer) ?? '', 60_000);
    return { ended, nodes: await later.settled(id, 6) };
  }
});
