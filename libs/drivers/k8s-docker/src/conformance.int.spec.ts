import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DriverManifest } from '@stave/driver-sdk';
import { aContainerSpec, describeDriver, describeOn } from '@stave/driver-sdk/testing';
import { loseCluster, TestMachines } from '@stave/docker/testing';
import { kubernetesMissing } from './testing/node-image.fixture.js';
import { clusterSpec, nodeSpec, RealClusters } from './testing/real-clusters.fixture.js';

const manifest = JSON.parse(readFileSync(join(__dirname, '../driver.manifest.json'), 'utf8')) as DriverManifest;
/** Each node brings it: it sleeps. */
const idleImage = 'stave.local/kubernetes/pause:3.10.1';

let real: RealClusters | undefined;
let machines: TestMachines | undefined;
let made = 0;
const nextId = (kind: string) => `${kind}-${(made += 1)}`;

describeOn(kubernetesMissing(), 'The conformance of k8s_docker on a real engine', () =>
  describeDriver(
    'k8s_docker',
    {
      slow: true,
      open: async () => {
        real ??= await RealClusters.open();
        return real.reopen();
      },
      clusterSpec: () => clusterSpec({ id: nextId('cluster') }),
      nodeSpec: overrides => nodeSpec(nextId('node'), overrides),
      containerSpec: overrides =>
        aContainerSpec({ ...overrides, id: nextId('container'), image: idleImage, stopGraceSeconds: 1 }),
      machine: async () => {
        machines ??= await TestMachines.open();
        const one = await machines.start(nextId('machine'), { memoryMb: 3_072, runsNodes: true });
        return { id: one.name, engine: await machines.reach(one, 'unix') };
      },
      loseCluster: id => loseCluster(real?.installation ?? '', id),
      cleanup: async () => {
        await real?.close();
        await machines?.close();
      },
    },
    { manifest },
  ),
);
