import { serviceInbox } from '@stave/contracts';
import { openJetStream, type Logger, type PublicationLog } from '@stave/platform';
import { runService } from '@stave/service-kit';
import { administratorKey, formerKeyHashes } from './access/administrator-key.js';
import { clusterServiceConfig, type ClusterServiceConfig } from './cluster-service.config.js';
import { createClusterService } from './app.module.js';

runService(
  'cluster-service',
  () => clusterServiceConfig(process.env),
  async (ports, config) => {
    const { administratorKeyFile, heartbeatMs, sessionTimeoutMs } = config;
    const publication = await openPublication(config, ports.log);
    return createClusterService(ports, {
      administratorKey: await administratorKey(administratorKeyFile),
      formerAdministratorKeys: await formerKeyHashes(administratorKeyFile),
      heartbeatMs,
      sessionTimeoutMs,
      ...(publication && { publication }),
    });
  },
  process,
);

/** Publication uses a connection of its own, so that a long refill does not delay requests. */
async function openPublication(
  { ports, publication }: ClusterServiceConfig,
  log: Logger,
): Promise<PublicationLog | undefined> {
  if (!publication) return undefined;
  return openJetStream({
    ...ports.nats,
    ...publication,
    name: 'cluster-service, publication',
    inbox: serviceInbox('cluster-service'),
    log,
  });
}
