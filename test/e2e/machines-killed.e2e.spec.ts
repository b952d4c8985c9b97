import { eventually, expectStatus, operationIdOf } from '@stave/testing';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type { CloudEventView, NodeView, ResourceView } from './views.js';

jest.setTimeout(240_000);

interface MachineView extends ResourceView {
  readonly nodeId: string | null;
}

const MACHINES = 6;

it('no machine gets two nodes, and each is given back, when the process is killed while they are claimed and cleaned', async () => {
  let running = await EmbeddedStack.start();
  const restart = async (): Promise<Fleet> => {
    await running.end('SIGKILL');
    running = await EmbeddedStack.start(running.dataDir);
    return new Fleet(running);
  };
  try {
    let fleet = new Fleet(running);
    const machines = () => fleet.api.list<MachineView>('/v1/machines?limit=100');
    for (let i = 0; i < MACHINES; i++)
      await fleet.api.succeed(fleet.api.post('/v1/machines', { name: `m${i}`, engine: { url: `fake://m${i}` } }));
    const ask = (name: string) =>
      fleet.ask({ name, options: { latencyMs: 300 } }, [{ count: MACHINES / 2, machineSelector: {} }]);
    const answers = [expectStatus(await ask('one'), 202), expectStatus(await ask('two'), 202)];
    const until = (what: string, isReached: (all: readonly MachineView[]) => boolean): Promise<unknown> =>
      eventually(async () => isReached(await machines()), { timeoutMs: 60_000, what });
    await until('a machine is claimed', all => all.some(({ status }) => status === 'CLAIMED'));
    fleet = await restart();
    for (const answer of answers)
      expect((await fleet.api.operation(operationIdOf(answer) ?? '', 90_000)).status).toBe('SUCCEEDED');
    const nodes = await fleet.api.list<NodeView & { readonly machineId: string }>('/v1/nodes?limit=100');
    expect(new Set(nodes.map(({ machineId }) => machineId)).size).toBe(MACHINES);
    expect((await machines()).map(({ nodeId }) => nodeId).sort()).toEqual(nodes.map(({ id }) => id).sort());
    const deletions = [await fleet.api.delete('/v1/clusters/one'), await fleet.api.delete('/v1/clusters/two')];
    await until('a machine is not claimed any more', all => all.some(({ status }) => status !== 'CLAIMED'));
    fleet = await restart();
    for (const answer of deletions)
      expect((await fleet.api.operation(operationIdOf(answer) ?? '', 90_000)).status).toBe('SUCCEEDED');
    await until('all machines are available', all => all.every(({ status }) => status === 'AVAILABLE'));
    for (const { id } of await machines()) {
      const events = await fleet.api.list<CloudEventView>(`/v1/machines/${id}/events?limit=200`);
      const turns = events.map(({ type }) => type).filter(type => /\.(claimed|released)\./.test(type));
      expect(turns).toEqual(turns.map((_, i) => `stave.machine.${i % 2 === 0 ? 'claimed' : 'released'}.v1`));
      expect(turns.length % 2).toBe(0);
    }
  } finally {
    await running.end('SIGKILL');
  }
});
