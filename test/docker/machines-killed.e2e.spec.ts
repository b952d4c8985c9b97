import { dockerMissing, TestMachines } from '@stave/docker/testing';
import { describeOn, eventually, expectStatus, operationIdOf } from '@stave/testing';
import { Fleet } from '../e2e/fleet.js';
import { EmbeddedStack } from '../e2e/stack.js';
import type { ResourceView } from '../e2e/views.js';
import { DockerEngine } from './docker-engine.js';
import { engineInventory } from './engine-inventory.js';

jest.setTimeout(400_000);

const LONG_MS = 180_000;

describeOn(dockerMissing(), 'Machines that exist, when the process is killed', () => {
  it('are joined, left and cleaned to the end, and what was on them stays', async () => {
    const before = await engineInventory();
    await new DockerEngine().prepare();
    const machines = await TestMachines.open();
    const settings = { SECRETS_DIR: machines.secretsDir };
    let running = await EmbeddedStack.start(undefined, settings);
    const restart = async (): Promise<Fleet> => {
      await running.end('SIGKILL');
      running = await EmbeddedStack.start(running.dataDir, settings);
      return new Fleet(running);
    };
    try {
      let fleet = new Fleet(running);
      const racks = await Promise.all(['one', 'two'].map(name => machines.start(name)));
      for (const rack of racks) {
        await rack.engine.createVolume(machines.ctx, 'precious', {});
        const engine = await machines.reach(rack, 'tcp');
        const body = { name: rack.name, engine, labels: { role: rack.name } };
        await fleet.api.succeed(fleet.api.post<ResourceView>('/v1/machines', body), LONG_MS);
      }
      const all = () => fleet.api.list<ResourceView>('/v1/machines?limit=100');
      const until = (what: string, isReached: () => Promise<boolean>): Promise<unknown> =>
        eventually(isReached, { timeoutMs: LONG_MS, everyMs: 30, what });
      const isMarked = async (): Promise<boolean> =>
        (await Promise.all(racks.map(({ engine }) => engine.volume(machines.ctx, 'stave-machine')))).some(
          mark => mark !== undefined,
        );
      const flavor = { cpus: 1, memoryMb: 256 };
      const nodeGroups = ['one', 'two'].map((role, i) => ({
        ...{ name: role, role: i === 0 ? 'manager' : 'worker', count: 1, flavor },
        machineSelector: { role },
      }));
      const made = await fleet.api.post('/v1/clusters', { name: 'iron', driver: 'swarm_docker', nodeGroups });
      const creation = operationIdOf(expectStatus(made, 202)) ?? '';
      await until('a machine is claimed', async () => (await all()).some(({ status }) => status === 'CLAIMED'));
      fleet = await restart();
      await until('an engine is marked', isMarked);
      fleet = await restart();
      expect((await fleet.api.operation(creation, LONG_MS)).status).toBe('SUCCEEDED');
      const members = await racks[0]?.engine.read<readonly object[]>(machines.ctx, '/nodes');
      expect(members).toHaveLength(2);

      const deletion = operationIdOf(expectStatus(await fleet.api.delete('/v1/clusters/iron'), 202)) ?? '';
      await until('a machine is not claimed', async () => (await all()).some(({ status }) => status !== 'CLAIMED'));
      fleet = await restart();
      expect((await fleet.api.operation(deletion, LONG_MS)).status).toBe('SUCCEEDED');
      await until('all are available', async () => (await all()).every(({ status }) => status === 'AVAILABLE'));
      for (const { engine } of racks)
        expect((await engine.volumes(machines.ctx, {})).map(({ Name }) => Name)).toEqual(['precious']);
    } finally {
      await running.end('SIGKILL');
      await machines.close();
    }
    expect((await engineInventory()).filter(each => !before.includes(each))).toEqual([]);
  });
});
