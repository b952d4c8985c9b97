import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore, connectEventStoreDb, type EventStore } from '@stave/platform';
import { anEvent } from '@stave/platform/testing';
import { serveEventStore, type EventStoreServer } from './event-store.server.js';
import { ServerFaults } from './server-faults.js';
import { testCertificate, testKey } from './tls.fixture.js';

const USER = 'stave';
const PASSWORD = 'cloudberry-77';

describe('EventStoreDB adapter on a server with TLS and users', () => {
  let embedded: EmbeddedEventStore;
  let server: EventStoreServer;
  let faults: ServerFaults;
  let directory: string;
  const stores: EventStore[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-tls-'));
    await writeFile(join(directory, 'ca.pem'), testCertificate);
  });

  beforeEach(async () => {
    embedded = await EmbeddedEventStore.open({ memory: true });
    faults = new ServerFaults();
    faults.authorization = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
    server = await serveEventStore(embedded, { faults, tls: { certificate: testCertificate, key: testKey } });
  });

  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await server.close();
    await embedded.close();
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  const connect = async ({ password = PASSWORD, options = `tlsCAFile=${directory}/ca.pem` }): Promise<EventStore> => {
    const store = await connectEventStoreDb({
      connectionString: `esdb://${USER}:${password}@127.0.0.1:${server.port}?${options}`,
      deadlineMs: 20_000,
    });
    stores.push(store);
    return store;
  };

  it('appends and reads with user, password and the certificate of the authority', async () => {
    const store = await connect({});
    await store.ping();
    const { position } = await store.append('s-1', [anEvent()], 'no_stream');
    expect(await store.head()).toBe(position);
  });

  const refused = async (store: EventStore): Promise<string> => {
    const error = await store.ping().then(
      () => new Error('the ping was answered'),
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: 'EventStoreRefusedError' });
    const shown = error instanceof Error ? error.message : '';
    expect(shown).not.toContain(PASSWORD);
    return shown;
  };

  it('is refused with a wrong password, and the error names the user and password of EVENTSTORE_URL', async () => {
    const store = await connect({ password: 'not-the-password' });
    expect(await refused(store)).toMatch(/check user and password in EVENTSTORE_URL/);
    await expect(store.append('s-1', [anEvent()], 'any')).rejects.toMatchObject({ name: 'EventStoreRefusedError' });
  });

  it('is refused without the right to read $all, and the error names that right', async () => {
    faults.deniesAllStream = true;
    expect(await refused(await connect({}))).toMatch(/may read \$all/);
  });

  it('is refused by a server whose certificate it does not trust, and the error names tlsCAFile', async () => {
    expect(await refused(await connect({ options: 'tls=true' }))).toMatch(/tlsCAFile in EVENTSTORE_URL/);
  });
});
