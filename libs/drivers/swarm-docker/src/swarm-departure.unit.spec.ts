import { aDriverContext } from '@stave/driver-sdk/testing';
import { DockerEngine, KeyedLock, label } from '@stave/docker';
import { Inventory, type NodeContainer } from './inventory.js';
import { ScriptedEngines, type Script } from './testing/scripted-engine.fixture.js';
import { SwarmDeparture } from './swarm-departure.js';
import { SwarmManagers } from './swarm-manager.js';

const managerRole = { [label.node]: 'm1', [label.role]: 'manager', [label.generation]: '1' };
const info = (swarm: object) => ({
  Swarm: { LocalNodeState: 'active', NodeID: 'x', ControlAvailable: true, ...swarm },
});
const remote = (...addresses: readonly string[]) => addresses.map(address => ({ Addr: `${address}:2377` }));
const member = (id: string, role: string, ManagerStatus?: object) => ({
  ID: id,
  CreatedAt: '2024-01-01T00:00:00Z',
  Version: { Index: 1 },
  Spec: { Role: role, Availability: 'active', Labels: null },
  Status: { State: 'ready' },
  Description: { Engine: { Labels: { ...managerRole, [label.node]: id } } },
  ManagerStatus,
});

describe('SwarmDeparture', () => {
  let engines: ScriptedEngines;
  const warnings: string[] = [];
  beforeEach(async () => {
    engines = await ScriptedEngines.open();
    warnings.length = 0;
  });
  afterEach(() => engines.close());

  const containerOf = (id: string, address: string, State = 'running') => {
    const labels = { ...managerRole, [label.node]: id, [label.cluster]: 'c', [label.address]: address };
    return { Id: id, Names: [], Status: '', State, Labels: { ...labels, [label.socket]: engines.socketOf(id) } };
  };

  /** Departs `m1` from a Swarm with `m2`; the clock advances by 20 s at each reading, so that waiting ends soon. */
  async function departure(m1: Script, m2: Script, m1State = 'running'): Promise<void> {
    const containers = [containerOf('m1', '10.0.0.1', m1State), containerOf('m2', '10.0.0.2')];
    await engines.play('host', () => containers);
    await engines.play('m1', m1);
    await engines.play('m2', m2);
    let seconds = 0;
    const ctx = aDriverContext({
      now: () => (seconds += 20) * 1000,
      log: { debug() {}, info() {}, error() {}, warn: (_fields, message) => void warnings.push(message) },
    });
    const inventory = new Inventory(new DockerEngine(engines.socketOf('host')), 'i');
    const [node] = (await inventory.nodes(ctx, {})).filter(({ nodeId }) => nodeId === 'm1');
    await new SwarmDeparture(inventory, new SwarmManagers(inventory), new KeyedLock()).depart(
      ctx,
      node as NodeContainer,
    );
  }

  const active = info({ RemoteManagers: remote('10.0.0.1', '10.0.0.2') });
  const leaderless = (...addresses: readonly string[]): Script => {
    const state = info({ Error: 'the swarm does not have a leader', RemoteManagers: remote(...addresses) });
    return request => (request === 'GET /info' ? state : 503);
  };
  const swarm =
    (state: object, members: readonly { readonly ID: string }[]): Script =>
    request => {
      if (request === 'GET /info') return state;
      if (request === 'GET /nodes') return members;
      if (request.startsWith('POST') || request.startsWith('DELETE')) return {};
      return members.find(({ ID }) => request === `GET /nodes/${ID}`);
    };
  const reachable = { Reachability: 'reachable' };
  const both = [member('m1', 'manager', reachable), member('m2', 'manager', reachable)];

  it('keeps a manager whose demotion is not complete, though its role is changed already', async () => {
    const demoting = [member('m1', 'worker', reachable), member('m2', 'manager', reachable)];
    const refused = expect.objectContaining({
      failure: 'transient',
      message: expect.stringMatching(/manager m1 .* was not removed: demotion of a manager/),
    });
    await expect(departure(swarm(active, demoting), swarm(active, demoting))).rejects.toEqual(refused);
  });

  it('keeps a manager whose successor is not in the quorum yet', async () => {
    const successor = info({ ControlAvailable: false, RemoteManagers: remote('10.0.0.1') });
    const promoting = [member('m1', 'manager', reachable), member('m2', 'worker')];
    const refused = expect.objectContaining({ message: expect.stringContaining('promotion of a manager') });
    await expect(departure(swarm(active, promoting), swarm(successor, []))).rejects.toEqual(refused);
  });

  it('keeps a manager while an election delays all answers of the Swarm', async () => {
    const election = leaderless('10.0.0.1', '10.0.0.2');
    await expect(departure(election, election)).rejects.toMatchObject({ failure: 'transient' });
  });

  it.each<[string, () => Promise<void>]>([
    [
      'the Swarm has lost its majority permanently',
      () => departure(leaderless('10.0.0.1', '10.0.0.8', '10.0.0.9'), swarm(info({ ControlAvailable: false }), [])),
    ],
    ['its container does not run', () => departure(() => 500, swarm(active, both), 'exited')],
    ['its engine does not answer', () => departure(() => 500, leaderless('10.0.0.1', '10.0.0.2'))],
    [
      'no other node is in the Swarm',
      () => departure(swarm(active, both), swarm(info({ ControlAvailable: false, LocalNodeState: 'inactive' }), [])),
    ],
  ])('removes a manager without a handover when %s', async (_when, depart) => {
    await depart();
    expect(warnings).toEqual(['the node is removed without leaving its Swarm']);
  });

  it('removes a manager after its demotion', async () => {
    let role = 'manager';
    const members = () => [
      member('m1', role, role === 'manager' ? reachable : undefined),
      member('m2', 'manager', reachable),
    ];
    const requests: string[] = [];
    const script: Script = request => {
      requests.push(request);
      if (request === 'POST /nodes/m1/update') role = 'worker';
      return swarm(active, members())(request);
    };
    await departure(script, script);
    expect(requests.filter(request => !request.startsWith('GET'))).toEqual([
      'POST /nodes/m1/update',
      'DELETE /nodes/m1',
    ]);
    expect(warnings).toEqual([]);
  });
});
