import { existsSync } from 'node:fs';
import { describeDriver } from '@stave/driver-sdk/testing';
import { clusterSpec, containerSpec, hostSocket, nodeSpec, RealEngine } from './testing/real-engine.fixture.js';

if (existsSync(hostSocket) || process.env['CI'] === 'true') {
  let real: RealEngine | undefined;
  let made = 0;
  const nextId = (kind: string) => `${kind}-${(made += 1)}`;

  describeDriver('swarm_docker', {
    slow: true,
    open: async () => {
      real ??= await RealEngine.open();
      return real.reopen();
    },
    clusterSpec: () => clusterSpec({ id: nextId('cluster') }),
    nodeSpec: overrides => nodeSpec(nextId('node'), overrides),
    containerSpec: ({ nodeId, ...overrides }) => containerSpec(nextId('container'), nodeId, overrides),
    cleanup: async () => real?.close(),
  });
} else {
  it.skip(`swarm_docker conforms (SKIPPED: no Docker Engine at ${hostSocket}; start one with scripts/start-docker.sh)`, () => {});
}
