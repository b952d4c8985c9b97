import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEventStoreDb, EmbeddedEventStore, type EventStore, type RecordedEvent } from '@stave/platform';
import { anEvent, eventually, TestAuthority } from '@stave/platform/testing';
import { serveEventStore, type EventStoreServer } from './event-store.server.js';
import { ServerFaults } from './server-faults.js';

// generous, because the suite shares a busy machine with others
jest.setTimeout(120_000);
const WAIT = { timeoutMs: 60_000 };
const basic = (password: string): string => `Basic ${Buffer.from(`stave:${password}`).toString('base64')}`;

describe('files of the client of EventStoreDB that change while it runs', () => {
  const closing: (() => Promise<void>)[] = [];
  let embedded: EmbeddedEventStore;
  let server: EventStoreServer;
  let faults: ServerFaults;
  let directory: string;
  let caFile: string;
  let said: string[];

  async function serve(authority: TestAuthority, port = 0): Promise<void> {
    const { cert: certificate, key } = await authority.issue('event store');
    server = await serveEventStore(embedded, { faults, port, tls: { certificate, key } });
  }

  async function connect(user: string, files: object, options = ''): Promise<EventStore> {
    const speak = (fields: object, message?: string): void => void said.push(`${message} ${JSON.stringify(fields)}`);
    const connectionString = `esdb://${user}127.0.0.1:${server.port}${options}`;
    const log = { info: speak, warn: speak, error: speak };
    const store = await connectEventStoreDb({ connectionString, files, readMs: 20, deadlineMs: 30_000, log });
    closing.push(() => store.close());
    return store;
  }

  const times = (text: string): number => said.filter(message => message.includes(text)).length;

  beforeEach(async () => {
    said = [];
    faults = new ServerFaults();
    embedded = await EmbeddedEventStore.open({ memory: true });
    directory = await mkdtemp(join(tmpdir(), 'stave-exchanged-'));
    caFile = join(directory, 'ca.pem');
    closing.push(
      () => rm(directory, { recursive: true, force: true }),
      () => embedded.close(),
      () => server.close(),
    );
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it.each([
    ['of settings', () => ({ files: { caFile }, options: '' })],
    ['of the connection string', () => ({ files: {}, options: `?tlsCAFile=${caFile}` })],
  ])('the authority %s is exchanged while appends and a subscription run: nothing is lost', async (_, given) => {
    const [former, next] = [await TestAuthority.create('former'), await TestAuthority.create('next')];
    await writeFile(caFile, former.cert);
    await serve(former);
    const { files, options } = given();
    const store = await connect('', files, options);
    const delivered: RecordedEvent[] = [];
    store.subscribe({ onEvents: async events => void delivered.push(...events) });

    const acknowledged: string[] = [];
    let isOver = false;
    const writing = Array.from({ length: 4 }, async (_unused, writer) => {
      for (let n = 0; !isOver; n++) {
        const event = anEvent();
        await store.append(`s-${writer}`, [event], n === 0 ? 'no_stream' : n - 1);
        acknowledged.push(event.id);
      }
    });
    await eventually(() => acknowledged.length > 50, WAIT);
    await writeFile(caFile, 'no certificate');
    await eventually(() => times('cannot be used any more') === 1, WAIT);
    const before = acknowledged.length;
    await eventually(() => acknowledged.length > before + 50, WAIT);

    // both are trusted until the server shows the new one, as the guide says
    await writeFile(caFile, former.cert + next.cert);
    await eventually(() => times('the files have changed') === 1, WAIT);
    const port = server.port;
    await server.close();
    await serve(next, port);
    const after = acknowledged.length;
    await eventually(() => acknowledged.length > after + 50, WAIT);
    await writeFile(caFile, next.cert);
    await eventually(() => times('the files have changed') === 2, WAIT);
    const renewed = acknowledged.length;
    await eventually(() => acknowledged.length > renewed + 50, WAIT);
    isOver = true;
    await Promise.all(writing);
    await eventually(() => delivered.length === acknowledged.length, WAIT);
    expect(delivered.map(({ id }) => id).sort()).toEqual([...acknowledged].sort());
    expect(new Set(delivered.map(({ position }) => position)).size).toBe(delivered.length);

    await server.close();
    await serve(former, port);
    const answer = (): Promise<string> => store.ping().then(() => 'an answer', String);
    await eventually(async () => (await answer()).includes('is not trusted'), WAIT);
  });

  it('the password of a file is exchanged: the next call has the new one', async () => {
    const authority = await TestAuthority.create();
    const passwordFile = join(directory, 'password');
    await writeFile(caFile, authority.cert);
    await writeFile(passwordFile, 'cloudberry-77\n');
    faults.authorization = basic('cloudberry-77');
    await serve(authority);
    const store = await connect('stave@', { caFile, passwordFile });
    await store.append('s-1', [anEvent()], 'no_stream');
    faults.authorization = basic('lingonberry-78');
    await expect(store.ping()).rejects.toMatchObject({ name: 'EventStoreRefusedError' });
    await writeFile(passwordFile, 'lingonberry-78');
    await eventually(
      () =>
        store
          .ping()
          .then(() => true)
          .catch(() => false),
      WAIT,
    );
    await store.append('s-1', [anEvent()], 0);
    expect(said.join('\n')).not.toMatch(/cloudberry|lingonberry/);
  });

  it.each([
    ['stave:cloudberry-77@', '', /EVENTSTORE_PASSWORD_FILE it names a user, and no password/],
    ['', '', /EVENTSTORE_PASSWORD_FILE it names a user, and no password/],
    ['stave@', '?tls=false', /EVENTSTORE_PASSWORD_FILE need TLS/],
    ['stave@', '', /EVENTSTORE_PASSWORD_FILE: the file of the password cannot be read \(ENOENT\)/],
  ])('a start with a password in a file is refused for esdb://%shost%s', async (user, options, reason) => {
    await serve(await TestAuthority.create());
    const passwordFile = join(directory, 'nothing');
    await expect(connect(user, { passwordFile }, options)).rejects.toThrow(reason);
  });
});
