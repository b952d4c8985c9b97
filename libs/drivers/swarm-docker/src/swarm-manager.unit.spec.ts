import { aDriverContext } from '@stave/driver-sdk/testing';
import { ScriptedEngines } from './testing/scripted-engine.fixture.js';
import { SwarmManager } from './swarm-manager.js';

const JoinTokens = { Worker: 'SWMTKN-1-worker', Manager: 'SWMTKN-1-manager' };

it('SwarmManager stores the join tokens that it reads as secrets, which the conductor removes from logs', async () => {
  const engines = await ScriptedEngines.open();
  await engines.play('m', () => ({ JoinTokens }));
  const stored: string[] = [];
  const store = {
    get: jest.fn(),
    put: async (_name: string, value: string) => void stored.push(value),
    delete: jest.fn(),
  };
  const container = {
    containerId: 'c',
    labels: {},
    nodeId: 'n',
    clusterId: 'k',
    generation: 1,
    role: 'manager',
    address: '10.0.0.1',
    socket: engines.socketOf('m'),
    state: 'running',
    exitCode: undefined,
    cpus: 1,
    memoryMb: 512,
  };
  expect(await new SwarmManager(container).tokens(aDriverContext({ secrets: store }))).toEqual(JoinTokens);
  expect(stored.sort()).toEqual(Object.values(JoinTokens).sort());
  await engines.close();
});
