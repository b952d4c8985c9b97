import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { EmbeddedEventStore, connectEventStoreDb, grantEventStoreAccess, type EventStore } from '@stave/platform';
import { anEvent, eventually } from '@stave/platform/testing';
import { serveEventStore, type EventStoreServer } from './event-store.server.js';
import { ServerUsers } from './server-users.js';
import { testCertificate, testKey } from './tls.fixture.js';

const ADMIN_PASSWORD = 'cloudberry-77';
const PASSWORD = 'lingonberry-78';
/** Appends with credentials are calls of their own; the others share one stream of the client in this process. */
const AS_ADMINISTRATOR = { credentials: { username: 'admin', password: ADMIN_PASSWORD } };

describe('the access of Stave on a server with users and access lists', () => {
  let directory: string;
  let embedded: EmbeddedEventStore;
  let server: EventStoreServer;
  const opened: { close(): Promise<void> }[] = [];

  const url = (user: string, password: string): string =>
    `esdb://${user}:${password}@127.0.0.1:${server.port}?tlsCAFile=${directory}/ca.pem`;
  const administrator = (): string => url('admin', ADMIN_PASSWORD);
  const grant = (user = 'stave', password = PASSWORD) =>
    grantEventStoreAccess({ administrator: administrator(), product: url(user, password) });
  const connect = async (user = 'stave', password = PASSWORD): Promise<EventStore> => {
    const store = await connectEventStoreDb({ connectionString: url(user, password), streamPrefix: 'site1.' });
    opened.push(store);
    return store;
  };
  const asAdministrator = (): EventStoreDBClient => {
    const client = EventStoreDBClient.connectionString(administrator());
    opened.push({ close: () => client.dispose() });
    return client;
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-access-'));
    await writeFile(join(directory, 'ca.pem'), testCertificate);
  });
  beforeEach(async () => {
    embedded = await EmbeddedEventStore.open({ memory: true });
    const tls = { certificate: testCertificate, key: testKey };
    server = await serveEventStore(embedded, { tls, users: new ServerUsers(ADMIN_PASSWORD) });
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
    await server.close();
    await embedded.close();
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const refused = { name: 'EventStoreRefusedError' };

  it('a user that was only created is refused, because it may not read $all', async () => {
    await grant();
    await asAdministrator().setStreamMetadata('$all', { acl: { readRoles: ['$admins'] } }, AS_ADMINISTRATOR);
    await expect((await connect()).ping()).rejects.toMatchObject(refused);
  });

  it('the command creates a user that appends, reads and subscribes, and that is no administrator', async () => {
    expect(await grant()).toEqual({ user: 'stave', created: true, granted: ['read $all'] });
    const store = await connect();
    await store.ping();
    const { position } = await store.append('node-1', [anEvent()], 'no_stream');
    expect(await store.head()).toBe(position);
    expect(await store.readStream('node-1')).toHaveLength(1);
    const seen: string[] = [];
    store.subscribe({ onEvents: events => void seen.push(...events.map(({ stream }) => stream)) });
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['node-1']);
    const product = EventStoreDBClient.connectionString(url('stave', PASSWORD));
    opened.push({ close: () => product.dispose() });
    const widened = product.setStreamMetadata(
      '$all',
      { acl: { readRoles: ['$all'] } },
      { credentials: { username: 'stave', password: PASSWORD } },
    );
    await expect(widened).rejects.toMatchObject({ type: 'access-denied' });
    await expect(
      grantEventStoreAccess({ administrator: url('stave', PASSWORD), product: url('other', 'secret-79') }),
    ).rejects.toThrow(/EVENTSTORE_ADMIN_URL.*\$admins/);
  });

  it('a repeated command changes nothing, and one for another user keeps what the first one may', async () => {
    await grant();
    expect(await grant()).toEqual({ user: 'stave', created: false, granted: [] });
    await grant('second', 'crowberry-80');
    const { metadata } = await asAdministrator().getStreamMetadata('$all');
    expect(metadata).toEqual({ acl: { readRoles: ['$admins', 'stave', 'second'] } });
    await (await connect()).ping();
  });

  it('two commands at once grant both', async () => {
    await Promise.all([grant(), grant('second', 'crowberry-80')]);
    for (const store of [await connect(), await connect('second', 'crowberry-80')]) await store.ping();
  });

  it('other metadata of $all and readers by default stay, and a restricted default list gets the user', async () => {
    const admin = asAdministrator();
    const data = { $userStreamAcl: { $r: 'others', $w: ['others'], $d: '$admins' }, $systemStreamAcl: { $r: ['ops'] } };
    await admin.appendToStream('$settings', jsonEvent({ type: 'update-default-acl', data }), AS_ADMINISTRATOR);
    await admin.setStreamMetadata('$all', { kept: 'yes', acl: { metaReadRoles: ['ops'] } }, AS_ADMINISTRATOR);
    expect((await grant()).granted).toHaveLength(2);
    expect((await admin.getStreamMetadata('$all')).metadata).toEqual({
      kept: 'yes',
      acl: { readRoles: ['ops', 'stave'], metaReadRoles: ['ops'] },
    });
    const settings: unknown[] = [];
    for await (const { event } of admin.readStream('$settings')) settings.push(event?.data);
    expect(settings.at(-1)).toEqual({
      ...data,
      $userStreamAcl: { $r: ['others', 'stave'], $w: ['others', 'stave'], $d: '$admins' },
    });
    const store = await connect();
    await store.append('node-1', [anEvent()], 'no_stream');
    expect(await store.readStream('node-1')).toHaveLength(1);
  });

  it.each([
    [
      'a wrong password of the administrator',
      () => [url('admin', 'wrong-81'), url('stave', PASSWORD)],
      /EVENTSTORE_ADMIN_URL/,
    ],
    ['the administrator as the user', () => [administrator(), administrator()], /another user/],
    [
      'a connection string without a user',
      () => [administrator(), `esdb://127.0.0.1:${server.port}`],
      /no user and password/,
    ],
    [
      'a malformed string of the administrator',
      () => ['esdb//x:lost-82@y', url('stave', PASSWORD)],
      /EVENTSTORE_ADMIN_URL/,
    ],
  ])('refuses %s, and shows no password', async (_what, strings, message) => {
    const [admin = '', product = ''] = strings();
    const error: unknown = await grantEventStoreAccess({ administrator: admin, product }).catch((e: unknown) => e);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    for (const secret of [ADMIN_PASSWORD, PASSWORD, 'wrong-81', 'lost-82']) expect(String(error)).not.toContain(secret);
  });

  it('does not change the password of a user that exists, and says that the two differ', async () => {
    await grant();
    await expect(grant('stave', 'other-83')).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/exists/),
    });
    await (await connect()).ping();
  });
});
