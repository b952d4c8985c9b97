import { machineStream, nodeStream, type MachineState, type NodeState } from '@stave/domain';
import { doneOf } from '@stave/domain/testing';
import { eventually } from '@stave/platform/testing';
import { ResourceModel } from '@stave/service-kit';
import { clusterCreated, groupSpec, taskDone } from '@stave/service-kit/testing';
import { v7 as uuidv7 } from 'uuid';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

const MACHINES = 12;

let harness: NodeGroupHarness;
afterEach(() => harness.close());

async function registered(index: number): Promise<string> {
  const id = uuidv7();
  const place = { labels: {}, zone: null, region: null, conductorGroup: '' };
  const operation = { id: `n-${id}`, kind: 'machine.register', total: 1 };
  const engine = { url: `fake://m${index}` };
  const data = { id, name: `m${index}`, engine, ...place, driver: 'fake', driverVersion: '1.0.0', operation };
  const { result } = doneOf('machine.probe');
  const events = [
    { type: 'MachineRegistrationRequested', data },
    { type: 'MachineRegistered', data: { ...result, engineId: id } },
  ];
  await harness.append(`machine-${id}`, ...events);
  return id;
}

async function clusterOnMachines(count: number): Promise<string> {
  const id = uuidv7();
  const spec = { ...groupSpec(count), machineSelector: {} };
  await harness.append(`cluster-${id}`, clusterCreated({ id, groups: [{ id: uuidv7(), name: 'w', spec }] }));
  await harness.append(`cluster-${id}`, ...taskDone(id, 'cluster.create'));
  return id;
}

it('two replicas that both lead never give a machine to two nodes, nor two machines to a node', async () => {
  harness = await NodeGroupHarness.open({ capabilities: ['machines'], machineSchemes: ['fake'] });
  await Promise.all([harness.replica(), harness.replica()]);
  const machineIds: string[] = [];
  for (let i = 0; i < MACHINES; i++) machineIds.push(await registered(i));
  for (let i = 0; i < 3; i++) await clusterOnMachines(MACHINES / 3);
  const machines = new ResourceModel<MachineState>(machineStream, harness.store);
  const nodes = new ResourceModel<NodeState>(nodeStream, harness.store);
  const pairs = await eventually(async () => {
    const found = new Map<string, string>();
    for (const id of await harness.nodeIds()) {
      const { machineId } = (await nodes.loadExisting(id)).state;
      if (machineId !== undefined) found.set(id, machineId);
    }
    return found.size === MACHINES && found;
  }, 'every node has a machine');
  expect(new Set(pairs.values())).toEqual(new Set(machineIds));
  for (const [nodeId, machineId] of pairs)
    expect((await machines.loadExisting(machineId)).state.claim).toMatchObject({ nodeId });
  for (const id of pairs.keys()) expect(await harness.events(`node-${id}`, 'NodeMachineAssigned')).toHaveLength(1);
});
