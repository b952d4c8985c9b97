import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { problemsOfDescription } from '../index.js';
import { controlPlane } from '../testing/descriptions.fixture.js';
import { expiresWithin, issueCertificate, newAuthority, newServiceAccountKeys } from './issue.js';

const validity = { from: new Date(), days: 10 };

describe('certificates of a cluster', () => {
  it('are issued by its authority, for a subject, its names and a time', async () => {
    const authority = await newAuthority('shop', { from: validity.from, days: 3_650 });
    const subject = { commonName: 'ops', organizations: ['one', 'two'], names: ['api.shop.test', '10.0.0.5'] };
    const issued = await issueCertificate(authority, subject, ['client'], validity);
    const [root, certificate] = [new X509Certificate(authority.certificate), new X509Certificate(issued.certificate)];
    expect(root.ca).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(root)).toBe(true);
    expect(certificate.verify(root.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(issued.key))).toBe(true);
    expect(certificate.subject).toBe('CN=ops\nO=one\nO=two');
    expect(certificate.subjectAltName).toBe('DNS:api.shop.test, IP Address:10.0.0.5');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    const another = new X509Certificate((await newAuthority('other', validity)).certificate);
    expect(certificate.verify(another.publicKey)).toBe(false);
  });

  it('let a client in that has one, and refuse one of another authority', async () => {
    const authority = await newAuthority('shop', validity);
    const server = await issueCertificate(
      authority,
      { commonName: 'engine', names: ['127.0.0.1'] },
      ['server'],
      validity,
    );
    const options = { ca: authority.certificate, cert: server.certificate, key: server.key };
    const listening = createServer({ ...options, requestCert: true }, socket => socket.end('welcome'));
    listening.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const address = listening.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const greeting = async (client: { certificate: string; key: string }): Promise<string> => {
      const { certificate: cert, key } = client;
      const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca: authority.certificate, cert, key });
      let text = '';
      socket.on('data', (piece: Buffer) => void (text += piece.toString()));
      // a refused client sees an error or only the end
      socket.on('error', () => undefined);
      await new Promise(resolve => socket.once('close', resolve));
      return text;
    };
    expect(await greeting(await issueCertificate(authority, { commonName: 'conductor' }, ['client'], validity))).toBe(
      'welcome',
    );
    const stranger = await issueCertificate(
      await newAuthority('x', validity),
      { commonName: 'x' },
      ['client'],
      validity,
    );
    expect(await greeting(stranger)).toBe('');
    listening.close();
  });

  it('and keys of service accounts are accepted by the description of a control plane', async () => {
    const authority = await newAuthority('shop', validity);
    const serviceAccount = await newServiceAccountKeys();
    expect(
      createPublicKey(createPrivateKey(serviceAccount.privateKey)).equals(createPublicKey(serviceAccount.publicKey)),
    ).toBe(true);
    const authorities = { cluster: authority, frontProxy: authority, etcd: authority, serviceAccount };
    expect(problemsOfDescription({ ...controlPlane, authorities })).toEqual([]);
  });

  it('are issued again in time', async () => {
    const { certificate } = await newAuthority('shop', validity);
    const after = (days: number): Date => new Date(validity.from.getTime() + days * 86_400_000);
    expect(expiresWithin(certificate, 3, after(6))).toBe(false);
    expect(expiresWithin(certificate, 3, after(8))).toBe(true);
  });
});
