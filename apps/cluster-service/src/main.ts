import { runService } from '@stave/platform';
import { administratorKey } from './access/administrator-key.js';
import { clusterServiceConfig } from './cluster-service.config.js';
import { createClusterService } from './create-cluster-service.js';

runService(
  'cluster-service',
  () => clusterServiceConfig(process.env),
  async (ports, { administratorKeyFile, heartbeatMs, sessionTimeoutMs }) =>
    createClusterService(ports, {
      administratorKey: await administratorKey(administratorKeyFile),
      heartbeatMs,
      sessionTimeoutMs,
    }),
  process,
);
