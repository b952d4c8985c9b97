import type { DriverContext } from '@stave/driver-sdk';
import { aDriverContext } from '@stave/driver-sdk/testing';
import { DockerEngine, label, withLabels, type ConnectedNetwork, type NetworkSummary } from '../index.js';
import { hostSocket } from './docker-missing.js';

/** Removes the networks of a cluster from this machine's engine, as somebody does who disconnects its nodes first. */
export async function loseCluster(installation: string, clusterId: string): Promise<void> {
  const [host, ctx] = [new DockerEngine(hostSocket), aDriverContext()];
  const query = withLabels({ [label.installation]: installation, [label.cluster]: clusterId });
  for (const { Id } of await host.read<NetworkSummary[]>(ctx, '/networks', { query })) await remove(host, ctx, Id);
}

async function remove(host: DockerEngine, ctx: DriverContext, id: string): Promise<void> {
  const { Containers } = await host.read<ConnectedNetwork>(ctx, `/networks/${id}`);
  for (const Container of Object.keys(Containers))
    await host.change(ctx, 'POST', `/networks/${id}/disconnect`, { body: { Container, Force: true } });
  await host.change(ctx, 'DELETE', `/networks/${id}`);
}
