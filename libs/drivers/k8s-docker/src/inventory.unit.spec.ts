import { anyValue, DockerEngine, EngineError, MachineEngines, type KnownMachine } from '@stave/docker';
import { DriverError, type Labels } from '@stave/driver-sdk';
import { aDriverContext, silentLogger } from '@stave/driver-sdk/testing';
import { Inventory, stateOf } from './inventory.js';

const stub = <T extends object>(of: { readonly prototype: T }, members: object): T =>
  Object.assign(Object.create(of.prototype) as T, members);

const record = (node: string, own: Labels = { 'stave.member': `${node}-1`, 'stave.machineAddress': '192.0.2.7' }) => ({
  Name: `stave-${node}-g1`,
  Labels: {
    'stave.node': node,
    'stave.machine': `rack-${node}`,
    'stave.engineId': node,
    'stave.engineUrl': 'tcp://192.0.2.7:2376',
    'stave.address': '10.144.4.9',
    'stave.generation': '1',
    ...own,
  },
});

/** The inventory of nodes on machines, of which each answers as given: with the state of the container, or with an error. */
async function nodesOn(
  answers: Readonly<Record<string, object | undefined>>,
  records = Object.keys(answers).map(id => record(id)),
) {
  const engines = stub(MachineEngines, {
    known: ({ engineId }: KnownMachine) =>
      stub(DockerEngine, {
        container: () => {
          const answer = answers[engineId];
          return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer && { State: answer });
        },
      }),
  });
  const host = stub(DockerEngine, {
    containers: () => Promise.resolve([]),
    volumes: (_caller: unknown, labels: object) => {
      const names = Reflect.ownKeys(labels).filter(name => Reflect.get(labels, name) === anyValue);
      return Promise.resolve(records.filter(({ Labels }) => names.every(name => name in Labels)));
    },
  });
  return new Inventory(host, 'i', engines).nodes(aDriverContext({ log: silentLogger }), {});
}

describe('nodes on machines', () => {
  it('have the state that the engine of the machine reports', async () => {
    const silent = new EngineError('transient', 'the engine does not answer', 0);
    const other = new DriverError('permanent', 'another engine answers', { code: 'engine-changed' });
    const nodes = await nodesOn({
      running: { Status: 'running' },
      exited: { Status: 'exited', ExitCode: 3 },
      absent: undefined,
      silent,
      other,
    });
    const seen = nodes.map(({ nodeId, state, exitCode }) => [nodeId, state, exitCode, stateOf(state)]);
    expect(seen).toEqual([
      ['running', 'running', undefined, 'running'],
      ['exited', 'exited', 3, 'stopped'],
      ['absent', 'absent', undefined, 'failed'],
      ['silent', 'unreachable', undefined, 'running'],
      ['other', 'replaced', undefined, 'failed'],
    ]);
  });

  it('have an address in the network of their cluster, and are reached at that of their machine', async () => {
    expect(await nodesOn({ n1: { Status: 'running' } })).toMatchObject([
      {
        containerId: 'stave-n1-g1',
        address: '10.144.4.9',
        publicAddress: '192.0.2.7',
        machine: { id: 'rack-n1', engineId: 'n1', engine: { url: 'tcp://192.0.2.7:2376' } },
      },
    ]);
  });

  it('are those of this driver only', async () => {
    expect(await nodesOn({ n1: { Status: 'running' } }, [record('n1', {})])).toEqual([]);
    const labelled = (driver: string) => record('n1', { 'stave.member': 'n1-1', 'stave.driver': driver });
    const driversOf = async (driver: string) =>
      (await nodesOn({ n1: { Status: 'running' } }, [labelled(driver)])).length;
    expect([await driversOf('k8s_docker'), await driversOf('a_fork')]).toEqual([1, 0]);
  });
});
