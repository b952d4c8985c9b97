import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats, createLogger, MessagingRefusedError, type Messaging } from '@stave/platform';
import { eventually, FaultyProxy, TestAuthority, ThinLine } from '@stave/platform/testing';
import { describeOn } from '@stave/driver-sdk/testing';
import { nkeys } from 'nats';
import { ConfiguredNats, natsProgramMissing } from './configured-nats.js';
import { freePort } from './server-process.js';

// generous, because NATS shares a busy machine with other suites
jest.setTimeout(240_000);
const WAIT = { timeoutMs: 60_000 };
const LARGE = 'x'.repeat(600_000);

/** A log whose messages are kept. */
function spokenLog() {
  const said: string[] = [];
  const speak = ({ err }: { readonly err?: unknown }, message: string): void => void said.push(`${message} ${err}`);
  const log = Object.assign(Object.create(createLogger('nats', 'silent')), { info: speak, warn: speak, error: speak });
  return { log, said: (text: string) => said.some(message => message.includes(text)) };
}

describeOn(natsProgramMissing(), 'NATS over WebSockets', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let directory: string;
  let authority: TestAuthority;
  let files: { readonly caFile: string; readonly certFile: string; readonly keyFile: string };
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-web-socket-'));
    closing.push(() => rm(directory, { recursive: true, force: true }));
    authority = await TestAuthority.create();
    files = await authority.write(directory, 'server');
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** Starts a server that takes WebSockets over TLS on a port of their own, and clients over TCP without TLS. */
  async function started(more = '', moreOfTls = ''): Promise<{ readonly nats: ConfiguredNats; readonly port: number }> {
    const port = await freePort();
    const tls = `tls { cert_file: "${files.certFile}", key_file: "${files.keyFile}", ca_file: "${files.caFile}" ${moreOfTls} }`;
    const nats = await ConfiguredNats.start(`websocket { listen: "127.0.0.1:${port}", ${tls} }\n${more}`);
    closing.push(() => nats.stop());
    return { nats, port };
  }

  async function client(options: Partial<Parameters<typeof connectNats>[0]>): Promise<Messaging> {
    const messaging = await connectNats({ servers: '', name: 'c', readMs: 20, ...options });
    closing.push(() => messaging.close());
    return messaging;
  }

  it('a process over a WebSocket and processes over TCP ask each other, with large messages, too', async () => {
    const { nats, port } = await started();
    const near = await client({ servers: nats.url });
    const far = await client({ servers: `wss://localhost:${port}`, caFile: files.caFile });
    near.serve('stave.test.near', 'q', async payload => payload);
    far.serve('stave.test.far', 'q', async payload => payload);
    await Promise.all([near.flush(), far.flush()]);
    expect(await near.request('stave.test.far', LARGE, { timeoutMs: 60_000 })).toBe(LARGE);
    expect(await far.request('stave.test.near', LARGE, { timeoutMs: 60_000 })).toBe(LARGE);
    const many = Array.from({ length: 200 }, (_, n) => far.request('stave.test.near', n, { timeoutMs: 60_000 }));
    expect(await Promise.all(many)).toEqual(many.map((_, n) => n));
  });

  it('a connection that breaks is restored, and a server that starts later is waited for', async () => {
    const { nats, port } = await started();
    const line = await FaultyProxy.open(port);
    closing.push(() => line.close());
    const far = await client({ servers: `wss://localhost:${line.port}`, caFile: files.caFile });
    const broken: number[] = [];
    far.onBroken(() => broken.push(1));
    far.serve('stave.test.far', 'q', async payload => payload);
    const near = await client({ servers: nats.url });
    const ask = () => near.request('stave.test.far', 1, { timeoutMs: 2_000 });
    expect(await eventually(ask, WAIT)).toBe(1);
    line.cut();
    await eventually(() => broken.length === 1, WAIT);
    expect(await eventually(ask, WAIT)).toBe(1);
    await nats.kill();
    await eventually(() => broken.length === 2, WAIT);
    await nats.restart();
    expect(await eventually(ask, WAIT)).toBe(1);
  });

  it('a line without contact is noticed, and the process is there again when contact is back', async () => {
    const { nats, port } = await started();
    const line = await ThinLine.open(port, { delayMs: 20 });
    closing.push(() => line.close());
    const far = await client({ servers: `wss://localhost:${line.port}`, caFile: files.caFile });
    const broken: number[] = [];
    far.onBroken(() => broken.push(1));
    far.serve('stave.test.far', 'q', async payload => payload);
    const near = await client({ servers: nats.url });
    const ask = () => near.request('stave.test.far', 1, { timeoutMs: 2_000 });
    expect(await eventually(ask, WAIT)).toBe(1);
    line.lose();
    const made = line.connections;
    await eventually(() => broken.length === 1, { ...WAIT, what: 'the line without contact is noticed' });
    await eventually(() => line.connections >= made + 2, { ...WAIT, what: 'it was tried again, twice' });
    line.restore();
    expect(await eventually(ask, WAIT)).toBe(1);
  });

  it('a connection that ends while it is made is made again at once, and not after the limit of a connect', async () => {
    const { nats } = await started();
    let breaking = 0;
    const front = createTcpServer(near => {
      const far = connectTcp(nats.port, '127.0.0.1');
      // the server has greeted, and its client waits to be taken
      near.on('data', bytes => (breaking > 0 && breaking-- > 0 ? near.resetAndDestroy() : far.write(bytes)));
      far.on('data', bytes => near.write(bytes));
      near.on('error', () => undefined).on('close', () => far.destroy());
      far.on('error', () => undefined).on('close', () => near.destroy());
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    closing.push(async () => front.close());
    const address = front.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const messaging = await client({ servers: `nats://127.0.0.1:${port}` });
    breaking = 6;
    await eventually(
      () =>
        messaging.ping().then(
          () => false,
          () => true,
        ),
      WAIT,
    );
    await eventually(() => messaging.ping().then(() => true), { timeoutMs: 60_000, what: 'it is connected again' });
    expect(breaking).toBe(0);
  });

  it('a process proves itself by an nkey, by a certificate, and by a user with a password', async () => {
    const key = nkeys.createUser();
    const nkeyFile = join(directory, 'nkey');
    await writeFile(nkeyFile, key.getSeed());
    const named = [`{ nkey: ${key.getPublicKey()} }`, '{ user: "CN=mapped" }', '{ user: far, password: "secret" }'];
    const { port } = await started(`authorization { users = [${named.join(', ')}] }`);
    const servers = `wss://localhost:${port}`;
    await (await client({ servers, caFile: files.caFile, nkeyFile })).ping();
    await (await client({ servers, caFile: files.caFile, user: 'far', pass: 'secret' })).ping();
    const wrong = connectNats({ servers, name: 'c', caFile: files.caFile, user: 'far', pass: 'other' });
    await expect(wrong).rejects.toBeInstanceOf(MessagingRefusedError);
    const mapping = await started(`authorization { users = [${named.join(', ')}] }`, ', verify_and_map: true');
    const mapped = await authority.write(directory, 'mapped');
    await (await client({ servers: `wss://localhost:${mapping.port}`, ...mapped })).ping();
  });

  it('a server whose certificate has no authority of ours is not used until its authority is trusted', async () => {
    const { port } = await started();
    const trusted = join(directory, 'trusted.pem');
    await writeFile(trusted, (await TestAuthority.create()).cert);
    const { log, said } = spokenLog();
    const connected = client({ servers: `wss://localhost:${port}`, caFile: trusted, log });
    await eventually(() => said('waiting for NATS') && said('certificate'), WAIT);
    await writeFile(trusted, authority.cert);
    await (await connected).ping();
  });

  it('a proxy holds the certificate: it is asked for the path, and while it refuses the process waits and says why', async () => {
    const port = await freePort();
    const nats = await ConfiguredNats.start(`websocket { listen: "127.0.0.1:${port}", no_tls: true }`);
    closing.push(() => nats.stop());
    const paths: unknown[] = [];
    const { cert, key } = await authority.issue('front');
    let open = false;
    const front = createServer({ cert, key }).on('upgrade', (request, near: Socket, head) => {
      paths.push(request.url);
      if (!open) return near.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      const far = connectTcp(port, '127.0.0.1');
      const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      far.write(`GET / HTTP/1.1\r\n${lines.join('')}\r\n`);
      far.write(head);
      far.on('error', () => near.destroy()).on('close', () => near.destroy());
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
      return near.pipe(far).pipe(near);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    closing.push(async () => front.close());
    const address = front.address();
    const at = typeof address === 'object' ? address?.port : 0;
    const { log, said } = spokenLog();
    const connected = client({ servers: `wss://localhost:${at}/of/stave`, caFile: files.caFile, log });
    await eventually(() => said('waiting for NATS') && said('403'), WAIT);
    open = true;
    await (await connected).ping();
    expect(new Set(paths)).toEqual(new Set(['/of/stave']));
  });
});
