import { describeDriver, describeOn } from '@stave/driver-sdk/testing';
import { kubernetesMissing } from './testing/node-image.fixture.js';
import { clusterSpec, nodeSpec, RealClusters } from './testing/real-clusters.fixture.js';

let real: RealClusters | undefined;
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
      containerSpec: () => {
        throw new Error('k8s_docker does not support containers');
      },
      cleanup: async () => real?.close(),
    },
    { containers: false },
  ),
);
