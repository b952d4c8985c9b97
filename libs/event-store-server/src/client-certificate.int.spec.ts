import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEventStoreDb, EmbeddedEventStore, type EventStore } from '@stave/platform';
import { anEvent, eventually, TestAuthority } from '@stave/platform/testing';
import { serveEventStore, type EventStoreServer } from './event-store.server.js';

jest.setTimeout(120_000);
const WAIT = { timeoutMs: 60_000 };
const refused = {
  name: 'EventStoreRefusedError',
  message: expect.stringMatching(/check EVENTSTORE_CERT_FILE and EVENTSTORE_KEY_FILE, or userCertFile and userKeyFile/),
};

/** An event store that answers nobody without a certificate of its authority of clients. */
describe('EventStoreDB adapter on a server that requires certificates of its clients', () => {
  let directory: string;
  let embedded: EmbeddedEventStore;
  let server: EventStoreServer;
  let clients: TestAuthority;
  const files = { caFile: '', certFile: '', keyFile: '' };
  const stores: EventStore[] = [];

  const writeIdentity = async (authority: TestAuthority): Promise<void> => {
    const { cert, key } = await authority.issue('stave');
    await writeFile(files.keyFile, key);
    await writeFile(files.certFile, cert);
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-client-certificate-'));
    for (const name of ['caFile', 'certFile', 'keyFile'] as const) files[name] = join(directory, `${name}.pem`);
    embedded = await EmbeddedEventStore.open({ memory: true });
    const authority = await TestAuthority.create('servers');
    clients = await TestAuthority.create('clients');
    const { cert: certificate, key } = await authority.issue('event store');
    server = await serveEventStore(embedded, { tls: { certificate, key, clientAuthority: clients.cert } });
    await writeFile(files.caFile, authority.cert);
    await writeIdentity(clients);
  });

  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await server.close();
    await embedded.close();
    await rm(directory, { recursive: true, force: true });
  });

  const connect = async (given: object, options = '', deadlineMs = 30_000): Promise<EventStore> => {
    const connectionString = `esdb://127.0.0.1:${server.port}${options}`;
    const store = await connectEventStoreDb({ connectionString, files: given, readMs: 20, deadlineMs });
    stores.push(store);
    return store;
  };

  it.each([
    ['settings', () => [files, ''] as const],
    [
      'the connection string',
      () => [{}, `?tlsCAFile=${files.caFile}&userCertFile=${files.certFile}&userKeyFile=${files.keyFile}`] as const,
    ],
  ])('appends, reads and subscribes with the certificate and key of %s', async (_, given) => {
    const [named, options] = given();
    const store = await connect(named, options);
    await store.append('s-1', [anEvent()], 'no_stream');
    expect(await store.readStream('s-1')).toHaveLength(1);
    let delivered = 0;
    store.subscribe({ onEvents: async events => void (delivered += events.length) });
    await eventually(() => delivered === 1, WAIT);
  });

  it('is refused without a certificate, and the error names the settings of this process', async () => {
    const store = await connect({ caFile: files.caFile }, '', 1_000);
    await expect(store.ping()).rejects.toMatchObject(refused);
    await expect(store.append('s-1', [anEvent()], 'no_stream')).rejects.toMatchObject(refused);
    expect(await embedded.head()).toBe(-1);
  });

  it('has no connection with a certificate of others, and is answered as soon as the files have one that the server accepts', async () => {
    await writeIdentity(await TestAuthority.create('others'));
    const store = await connect(files, '', 1_000);
    await expect(store.ping()).rejects.toMatchObject({ name: 'EventStoreUnavailableError' });
    await writeIdentity(clients);
    const isAnswered = (): Promise<boolean> =>
      store.ping().then(
        () => true,
        () => false,
      );
    await eventually(isAnswered, WAIT);
    expect((await store.append('s-1', [anEvent()], 'no_stream')).revision).toBe(0);
  });
});
