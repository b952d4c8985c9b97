import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats, createLogger, MessagingRefusedError, NoRespondersError, type Messaging } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { describeOn } from '@stave/driver-sdk/testing';
import { ConfiguredNats, natsProgramMissing } from './configured-nats.js';

// generous, because NATS shares a busy machine with other suites
jest.setTimeout(240_000);
const WAIT = { timeoutMs: 60_000 };

const user = (pass: string, permissions = ''): string =>
  `authorization { users = [{ user: stave, password: "${pass}"${permissions && `, permissions: {${permissions}}`} }] }`;

/** A log whose messages are kept by level. */
function spokenLog() {
  const said: string[] = [];
  const speak = (_fields: object, message: string): void => void said.push(message);
  const log = Object.assign(Object.create(createLogger('nats', 'silent')), { info: speak, warn: speak, error: speak });
  const times = (text: string): number => said.filter(message => message.includes(text)).length;
  return { log, times };
}

describeOn(natsProgramMissing(), 'access to NATS', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function server(configuration: string): Promise<ConfiguredNats> {
    const nats = await ConfiguredNats.start(configuration);
    closing.push(() => nats.stop());
    return nats;
  }

  async function client(url: string, more: Partial<Parameters<typeof connectNats>[0]> = {}): Promise<Messaging> {
    const messaging = await connectNats({ servers: url, name: 'access', user: 'stave', pass: 'first', ...more });
    closing.push(() => messaging.close());
    return messaging;
  }

  it('a start with a wrong password fails with a message that names the settings', async () => {
    const nats = await server(user('other'));
    await expect(client(nats.url)).rejects.toThrow(/NATS_USER.*NATS_PASSWORD.*NATS_TOKEN/);
  });

  it('a connection whose password was changed is restored when the server takes it again, and the refusal is logged once', async () => {
    const nats = await server(user('first'));
    const { log, times } = spokenLog();
    const messaging = await client(nats.url, { log });
    messaging.serve('stave.test.here', 'q', async payload => payload);
    await nats.reload(user('second'));
    await eventually(() => nats.logged('authentication error') >= 4, WAIT);
    await expect(messaging.ping()).rejects.toBeInstanceOf(NoRespondersError);
    await nats.reload(user('first'));
    const ask = () => messaging.request('stave.test.here', 1, { timeoutMs: 2000 });
    expect(await eventually(ask, WAIT)).toBe(1);
    expect(times('NATS refuses the credentials')).toBe(1);
  });

  it('a password is read from its file at each attempt, so that a rotation needs no restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stave-nats-password-'));
    closing.push(() => rm(folder, { recursive: true }));
    const passFile = join(folder, 'password');
    await writeFile(passFile, 'first\n');
    const nats = await server(user('first'));
    const messaging = await client(nats.url, { passFile });
    await nats.reload(user('second'));
    await eventually(() => nats.logged('authentication error') >= 2, WAIT);
    await rm(passFile);
    const before = nats.logged('authentication error');
    await eventually(() => nats.logged('authentication error') >= before + 2, WAIT);
    await writeFile(passFile, 'second\n');
    await eventually(() => messaging.ping().then(() => true), WAIT);
  });

  it('a subscription that the server refuses is logged once, fails the ping, and works when it is permitted again', async () => {
    const nats = await server(user('first'));
    const { log, times } = spokenLog();
    const [serving, asking] = [await client(nats.url, { log }), await client(nats.url)];
    serving.serve('stave.test.served', 'q', async payload => payload);
    const ask = () => asking.request('stave.test.served', 'hello', { timeoutMs: 2000 });
    expect(await eventually(ask, WAIT)).toBe('hello');

    await nats.reload(user('first', 'subscribe: { deny: "stave.test.served" }'));
    const refusal = await eventually(() => serving.ping().catch((error: unknown) => error), WAIT);
    expect(refusal).toBeInstanceOf(MessagingRefusedError);
    expect(String(refusal)).toContain('stave.test.served');
    await eventually(() => nats.logged('Subscription Violation') >= 2, { ...WAIT, what: 'it was tried again' });
    await expect(serving.ping()).rejects.toBeInstanceOf(MessagingRefusedError);
    expect(times('refuses the subscription')).toBe(1);

    await nats.reload(user('first'));
    expect(await eventually(ask, WAIT)).toBe('hello');
    await eventually(() => serving.ping().then(() => true), WAIT);
  });

  it('a publication that the server refuses is logged once, fails the ping, and the request fails as not handled', async () => {
    const nats = await server(user('first', 'publish: { deny: "stave.test.closed" }'));
    const { log, times } = spokenLog();
    const messaging = await client(nats.url, { log });
    messaging.serve('stave.test.closed', 'q', async payload => payload);
    const ask = () => messaging.request('stave.test.closed', 1, { timeoutMs: 20_000 });
    await expect(ask()).rejects.toBeInstanceOf(NoRespondersError);
    await expect(ask()).rejects.toBeInstanceOf(NoRespondersError);
    await expect(messaging.ping()).rejects.toThrow('stave.test.closed');
    expect(times('refuses the publication')).toBe(1);
  });

  it('a client that may not receive answers fails its ping until it may', async () => {
    const nats = await server(user('first', 'subscribe: { deny: "_INBOX.>" }'));
    const messaging = await client(nats.url);
    messaging.serve('stave.test.mute', 'q', async payload => payload);
    const ask = () => messaging.request('stave.test.mute', 1, { timeoutMs: 2000 });
    await expect(ask()).rejects.toThrow();
    await eventually(() => nats.logged('Subscription Violation') >= 3, { ...WAIT, what: 'inboxes were tried again' });
    await expect(messaging.ping()).rejects.toThrow('_INBOX.>');
    await nats.reload(user('first'));
    await eventually(() => messaging.ping().then(() => true), WAIT);
    expect(await ask()).toBe(1);
  });
});
