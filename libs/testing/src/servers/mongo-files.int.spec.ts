import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMongo, createLogger, type DocumentStore } from '@stave/platform';
import { eventually, TestAuthority } from '@stave/platform/testing';
import { describeOn } from '@stave/driver-sdk/testing';
import { ferretMissing, mongoNotRestartable, startFerret, type MongoServer } from './start-ferret.js';
import { TlsRelay } from './tls-relay.js';

// generous, because the server shares a busy machine with other suites
jest.setTimeout(240_000);
const WAIT = { timeoutMs: 60_000 };

describeOn(mongoNotRestartable() ?? ferretMissing(), 'files of the client of MongoDB that change while it runs', () => {
  const closing: (() => Promise<void>)[] = [];
  let server: MongoServer;
  let directory: string;
  let said: string[];

  beforeAll(async () => {
    const started = await startFerret();
    if ('skipped' in started) throw new Error(started.skipped);
    server = started;
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    said = [];
    directory = await mkdtemp(join(tmpdir(), 'stave-mongo-tls-'));
    closing.push(() => rm(directory, { recursive: true, force: true }));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function relayOf(authority: TestAuthority, { asksFor = true } = {}): Promise<TlsRelay> {
    const relay = await TlsRelay.open(Number(new URL(server.url).port), {
      ...(await shownBy(authority)),
      requestCert: asksFor,
    });
    closing.push(() => relay.close());
    return relay;
  }

  const shownBy = async (authority: TestAuthority) => ({ ...(await authority.issue('mongo')), ca: authority.cert });

  async function connect(relay: TlsRelay, files: object, options = ''): Promise<DocumentStore> {
    const speak = (fields: object, message?: string): void => void said.push(`${message} ${JSON.stringify(fields)}`);
    const log = Object.assign(Object.create(createLogger('m', 'silent')), { info: speak, warn: speak, error: speak });
    const url = `mongodb://127.0.0.1:${relay.port}/?directConnection=true${options}`;
    const database = `stave_test_${randomUUID().slice(0, 8)}`;
    const store = await connectMongo({ url, database, files, readMs: 20, timeoutMs: 10_000, log });
    closing.push(() => store.close());
    return store;
  }

  const times = (text: string): number => said.filter(message => message.includes(text)).length;

  it('authority, certificate and key of settings are exchanged while it writes: no write fails', async () => {
    const [former, next] = [await TestAuthority.create('former'), await TestAuthority.create('next')];
    const relay = await relayOf(former);
    const files = await former.write(directory, 'client');
    const store = await connect(relay, files);
    const things = await store.collection('things');
    let written = 0;
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await things.write([{ replace: { _id: 'a', position: ++written } }]);
    })();
    await eventually(() => written > 5, WAIT);
    expect(new Set(relay.clients)).toEqual(new Set(['client']));

    await writeFile(files.keyFile, 'no key');
    await eventually(() => times('cannot be used any more') === 1, WAIT);
    const before = written;
    await eventually(() => written > before + 5, WAIT);

    const { cert, key } = await next.issue('renewed');
    relay.exchange({ ...(await shownBy(former)), ca: [former.cert, next.cert] });
    await writeFile(files.caFile, former.cert + next.cert);
    await writeFile(files.certFile, cert);
    await writeFile(files.keyFile, key);
    await eventually(() => relay.clients.includes('renewed') && times('the files have changed') > 0, WAIT);
    const renewed = written;
    await eventually(() => written > renewed + 5, WAIT);
    isOver = true;
    await writing;

    relay.exchange(await shownBy(next), { cut: true });
    await eventually(
      () =>
        store
          .ping()
          .then(() => true)
          .catch(() => false),
      WAIT,
    );
    expect(await things.get('a')).toMatchObject({ position: written });
    expect(said.join('\n')).not.toContain('PRIVATE KEY');
  });

  it('the authority of the connection string is taken again, and the former one is no longer accepted', async () => {
    const [former, next] = [await TestAuthority.create('former'), await TestAuthority.create('next')];
    const relay = await relayOf(former, { asksFor: false });
    const { caFile } = await former.write(directory, 'client');
    const store = await connect(relay, {}, `&tls=true&tlsCAFile=${caFile}`);
    await store.ping();
    relay.exchange(await shownBy(next), { cut: true });
    await expect(store.ping()).rejects.toThrow();
    await writeFile(caFile, next.cert);
    await eventually(
      () =>
        store
          .ping()
          .then(() => true)
          .catch(() => false),
      WAIT,
    );
    relay.exchange(await shownBy(former), { cut: true });
    await expect(store.ping()).rejects.toThrow();
  });

  it('a password file needs a user without a password in MONGODB_URL', async () => {
    const relay = await relayOf(await TestAuthority.create());
    const passwordFile = join(directory, 'password');
    await writeFile(passwordFile, 'cloudberry-77');
    await expect(connect(relay, { passwordFile })).rejects.toThrow(/MONGODB_PASSWORD_FILE needs a user/);
  });
});
