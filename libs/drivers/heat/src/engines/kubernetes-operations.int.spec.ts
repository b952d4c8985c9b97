import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { issueCertificate, newAuthority } from '@stave/bootstrap';
import type { DriverApi } from '@stave/driver-sdk';
import { aClusterSpec, aDriverContext, referenceTo } from '@stave/driver-sdk/testing';
import { kubernetesOn } from './kubernetes.js';
import { startOfValidity } from './validity.js';

/** An address of this machine that nothing else uses, because the port of the API is the same everywhere. */
const firstAddress = '127.88.13.1';
const network = { cidr: '127.88.13.0/24', firstAddress };
const cluster = { id: 'c1', name: 'shop' };
const validity = { from: startOfValidity(), days: 1 };

describe('operations of a cluster of Kubernetes on Heat', () => {
  const kubernetes = kubernetesOn({ os: 'fedora', userData: 'cloud-init', templates: '' }, {});
  let secrets: Readonly<Record<string, string>>;
  let api: DriverApi;
  let server: Server | undefined;
  let clients: string[];

  beforeAll(async () => {
    secrets = await kubernetes.newSecrets(cluster, network);
    api = kubernetes.operations!(async () => ({ cluster, network, secrets }));
  });
  beforeEach(() => (clients = []));
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  /** Starts an API of a control plane whose certificate is of this authority, and which admits clients of the cluster's authority only. */
  async function serve(authority: { certificate: string; key: string }): Promise<void> {
    const subject = { commonName: 'kube-apiserver', names: [firstAddress] };
    const { certificate: cert, key } = await issueCertificate(authority, subject, ['server'], validity);
    const options = { cert, key, ca: secrets['clusterCertificate'], requestCert: true, rejectUnauthorized: true };
    server = createServer(options, (request, answer) => {
      const { subject: of } = (request.socket as TLSSocket).getPeerCertificate();
      clients.push(`${of.CN} ${of.O} ${request.method} ${request.url}`);
      const metadata = { name: 'workers-0', namespace: 'default', labels: { 'stave.node': 'n1' } };
      const status = { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { kubeletVersion: 'v1.34.2' } };
      const pod = { metadata, spec: { nodeName: 'workers-0' }, status: { phase: 'Running' } };
      const items = request.url === '/api/v1/nodes' ? [{ metadata, status }] : [pod];
      answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ items }));
    }).listen(6_443, firstAddress);
    await once(server, 'listening');
  }
  const own = () => ({ certificate: secrets['clusterCertificate'] ?? '', key: secrets['clusterKey'] ?? '' });
  const ask = (name: string) =>
    api[name]!(aDriverContext(), { cluster: referenceTo(aClusterSpec()), parameters: {}, body: undefined });

  it('ask the control plane with the first address, as a member', async () => {
    await serve(own());
    expect(await ask('nodes')).toEqual({
      items: [{ name: 'workers-0', nodeId: 'n1', ready: true, version: '1.34.2', labels: { 'stave.node': 'n1' } }],
    });
    expect(await ask('pods')).toMatchObject({ items: [{ namespace: 'default', name: 'workers-0', nodeId: 'n1' }] });
    const member = 'stave-member stave:members GET';
    expect(clients.sort()).toEqual([`${member} /api/v1/nodes`, `${member} /api/v1/nodes`, `${member} /api/v1/pods`]);
  });

  it('name the address that does not answer, which may lack a route', async () => {
    const message = expect.stringContaining(`at ${firstAddress}:6443 does not answer (ECONNREFUSED)`);
    await expect(ask('nodes')).rejects.toMatchObject({ failure: 'transient', message });
  });

  it('ask nobody whose certificate another authority issued', async () => {
    await serve(await newAuthority('another', validity));
    await expect(ask('nodes')).rejects.toMatchObject({
      failure: 'transient',
      message: expect.stringMatching(/\((UNABLE_TO_VERIFY|SELF_SIGNED|CERT)/),
    });
    expect(clients).toEqual([]);
  });
});
