import { connect } from 'node:tls';
import { issueCertificate } from '@stave/bootstrap';
import { EngineClient, swarmOperations, swarmViewOf, type EngineEndpoint } from '@stave/docker';
import type { DriverApi } from '@stave/driver-sdk';
import { startOfValidity, type ReachCluster, type ReachedCluster } from '@stave/heat';
import { apiPort, authorityIn, managerName } from './manager-api.js';

/** The operations of the driver: the view that the first manager has of its Swarm. */
export const swarmApi = (reach: ReachCluster): DriverApi =>
  swarmOperations(async (ctx, { cluster }) =>
    swarmViewOf(new EngineClient(await endpointOf(await reach(ctx, cluster)))),
  );

async function endpointOf({ cluster, network, secrets }: ReachedCluster): Promise<EngineEndpoint> {
  const authority = authorityIn(secrets);
  const subject = { commonName: `operations of ${cluster.id}`.slice(0, 64) };
  const validity = { from: startOfValidity(), days: 1 };
  const { certificate: cert, key } = await issueCertificate(authority, subject, ['client'], validity);
  const host = network.firstAddress;
  const options = { host, port: apiPort, ca: authority.certificate, cert, key, servername: managerName };
  return {
    shown: `tcp://${host}:${apiPort}`,
    dial: async () => ({ createConnection: () => connect({ ...options, minVersion: 'TLSv1.2' }) }),
  };
}
