import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { issueCertificate } from '@stave/bootstrap';
import { aDriverContext, aClusterSpec, referenceTo } from '@stave/driver-sdk/testing';
import { startOfValidity } from '@stave/heat';
import { authorityIn, managerName } from './manager-api.js';
import { swarmFedora } from './template-definition.js';

/** An address of this machine that nothing else uses, because the port of the engines is the same everywhere. */
const firstAddress = '127.88.14.1';
const network = { cidr: '127.88.14.0/24', firstAddress };
const cluster = { id: 'c1', name: 'shop' };

describe('operations of a Swarm on Heat', () => {
  let secrets: Readonly<Record<string, string>>;
  let server: Server | undefined;

  beforeAll(async () => {
    secrets = await swarmFedora.newSecrets(cluster, network);
  });
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  const ask = (name: string) => {
    const operation = swarmFedora.operations?.(async () => ({ cluster, network, secrets }))[name];
    if (!operation) throw new Error(`no operation ${name}`);
    return operation(aDriverContext(), { cluster: referenceTo(aClusterSpec()), parameters: {}, body: undefined });
  };

  it('ask the engine of the first manager with a certificate of the cluster', async () => {
    const authority = authorityIn(secrets);
    const subject = { commonName: 'managers-0', names: [managerName] };
    const validity = { from: startOfValidity(), days: 1 };
    const { certificate: cert, key } = await issueCertificate(authority, subject, ['server'], validity);
    const service = {
      ...{ ID: 's1', CreatedAt: '2026-11-27T00:00:00Z', ServiceStatus: { RunningTasks: 1, DesiredTasks: 2 } },
      Spec: { Name: 'web', Mode: { Replicated: { Replicas: 2 } }, TaskTemplate: { ContainerSpec: { Image: 'web:1' } } },
    };
    const node = {
      ...{ ID: 'm1', Spec: { Role: 'manager', Availability: 'active', Labels: { 'stave.node': 'n1' } } },
      ...{ Status: { State: 'ready' }, ManagerStatus: { Leader: true }, Description: { Hostname: 'managers-0' } },
    };
    server = createServer({ cert, key, ca: authority.certificate, requestCert: true }, ({ url = '' }, answer) => {
      const items = url.startsWith('/services') ? [service] : [node];
      answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(items));
    }).listen(2_376, firstAddress);
    await once(server, 'listening');
    expect(await ask('services')).toMatchObject({
      items: [{ id: 's1', name: 'web', runningTasks: 1, desiredTasks: 2 }],
    });
    expect(await ask('nodes')).toMatchObject({ items: [{ id: 'm1', nodeId: 'n1', leader: true, state: 'ready' }] });
  });

  it('name the engine that does not answer, which may lack a route', async () => {
    await expect(ask('nodes')).rejects.toMatchObject({
      failure: 'transient',
      message: expect.stringContaining(`tcp://${firstAddress}:2376`),
    });
  });
});
