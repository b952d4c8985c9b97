import { aNetworkSpec, aVolumeSpec, describeDriver, describeOn } from '@stave/driver-sdk/testing';
import { dockerMissing, loseCluster, TestMachines } from '@stave/docker/testing';
import { clusterSpec, containerSpec, nodeSpec, RealEngine } from './testing/real-engine.fixture.js';

let real: RealEngine | undefined;
let machines: TestMachines | undefined;
let made = 0;
const nextId = (kind: string) => `${kind}-${(made += 1)}`;

describeOn(dockerMissing(), 'The conformance of swarm_docker on a real engine', () =>
  describeDriver(
    'swarm_docker',
    {
      slow: true,
      open: async () => {
        real ??= await RealEngine.open();
        return real.reopen();
      },
      clusterSpec: () => clusterSpec({ id: nextId('cluster') }),
      nodeSpec: overrides => nodeSpec(nextId('node'), overrides),
      containerSpec: ({ nodeId, ...overrides }) => containerSpec(nextId('container'), nodeId, overrides),
      networkSpec: overrides => aNetworkSpec({ ...overrides, id: nextId('network') }),
      volumeSpec: overrides => aVolumeSpec({ ...overrides, id: nextId('volume'), scope: 'node' }),
      machine: async () => {
        machines ??= await TestMachines.open();
        const one = await machines.start(nextId('machine'));
        return { id: one.name, engine: await machines.reach(one, 'unix') };
      },
      loseCluster: id => loseCluster(real?.installation ?? '', id),
      cleanup: async () => {
        await real?.close();
        await machines?.close();
      },
    },
    { networks: true, volumes: true },
  ),
);
