import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BadEnvironmentError, connectNats, createLogger, type Messaging } from '@stave/platform';
import { eventually, TestAuthority } from '@stave/platform/testing';
import { describeOn } from '@stave/driver-sdk/testing';
import { nkeys } from 'nats';
import { ConfiguredNats, natsProgramMissing } from './configured-nats.js';

// generous, because NATS shares a busy machine with other suites
jest.setTimeout(240_000);
const WAIT = { timeoutMs: 60_000 };

function spokenLog() {
  const said: string[] = [];
  const speak = (fields: object, message: string): void => void said.push(`${message} ${JSON.stringify(fields)}`);
  const log = Object.assign(Object.create(createLogger('nats', 'silent')), { info: speak, warn: speak, error: speak });
  const times = (text: string): number => said.filter(message => message.includes(text)).length;
  return { log, said, times };
}

describeOn(natsProgramMissing(), 'NATS with TLS', () => {
  const closing: (() => Promise<void>)[] = [];
  let directory: string;
  let authority: TestAuthority;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-nats-tls-'));
    closing.push(() => rm(directory, { recursive: true, force: true }));
    authority = await TestAuthority.create();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function secureServer(more: string): Promise<ConfiguredNats> {
    const { caFile, certFile, keyFile } = await authority.write(directory, 'server');
    const tls = `tls { cert_file: "${certFile}", key_file: "${keyFile}", ca_file: "${caFile}"`;
    return started(`${tls}, ${more}`);
  }

  async function started(configuration: string): Promise<ConfiguredNats> {
    const nats = await ConfiguredNats.start(configuration);
    closing.push(() => nats.stop());
    return nats;
  }

  async function client(options: Parameters<typeof connectNats>[0]): Promise<Messaging> {
    const messaging = await connectNats({ readMs: 20, ...options });
    closing.push(() => messaging.close());
    return messaging;
  }

  const urlOf = (nats: ConfiguredNats): string => `tls://localhost:${nats.port}`;
  /** May publish on its own subject and nowhere else. */
  const user = (name: string): string =>
    `{ user: "CN=${name}", permissions: { publish: ["stave.of.${name}", "_INBOX.>"], subscribe: ">" } }`;
  const answers = async (messaging: Messaging, name: string): Promise<boolean> =>
    (await messaging.request(`stave.of.${name}`, 1, { timeoutMs: 2_000 }).catch(() => undefined)) === 1;

  it('a process is the user of its certificate, and becomes another one when the files change, without a restart', async () => {
    const users = `verify_and_map: true }\nauthorization { users = [${user('one')}, ${user('two')}, { user: "CN=helper" }] }`;
    const nats = await secureServer(users);
    const helper = await client({ servers: urlOf(nats), name: 'h', ...(await authority.write(directory, 'helper')) });
    for (const name of ['one', 'two']) helper.serve(`stave.of.${name}`, 'q', async payload => payload);
    await helper.flush();
    const files = await authority.write(directory, 'one');
    const { log, said, times } = spokenLog();
    const messaging = await client({ servers: urlOf(nats), name: 'c', log, ...files });
    const broken: number[] = [];
    messaging.onBroken(() => broken.push(1));
    expect(await answers(messaging, 'one')).toBe(true);
    expect(await answers(messaging, 'two')).toBe(false);

    const next = await authority.issue('two');
    await writeFile(files.certFile, next.cert);
    await eventually(() => times('cannot be used any more') === 1, WAIT);
    expect(await answers(messaging, 'one')).toBe(true);
    expect(broken).toEqual([]);
    await writeFile(files.keyFile, next.key);
    await eventually(() => answers(messaging, 'two'), WAIT);
    expect(await answers(messaging, 'one')).toBe(false);
    expect(broken).toEqual([1]);
    expect(said.join('\n')).not.toContain('PRIVATE KEY');
  });

  it('a process proves itself by an nkey over TLS, and by another one when the file changes', async () => {
    const [first, second] = [nkeys.createUser(), nkeys.createUser()];
    const permitted = (key: typeof first, name: string): string =>
      `{ nkey: ${key.getPublicKey()}, permissions: { publish: ["stave.of.${name}", "_INBOX.>"], subscribe: ">" } }`;
    const nats = await secureServer(
      `}\nauthorization { users = [${permitted(first, 'one')}, ${permitted(second, 'two')}] }`,
    );
    const nkeyFile = join(directory, 'nkey');
    await writeFile(nkeyFile, `${Buffer.from(first.getSeed()).toString()}\n`);
    const options = { servers: urlOf(nats), nkeyFile, caFile: join(directory, 'ca.pem') };
    const messaging = await client({ ...options, name: 'c' });
    for (const name of ['one', 'two']) messaging.serve(`stave.of.${name}`, 'q', async payload => payload);
    expect(await answers(messaging, 'one')).toBe(true);
    await writeFile(nkeyFile, second.getSeed());
    await eventually(() => answers(messaging, 'two'), WAIT);
    expect(await answers(messaging, 'one')).toBe(false);
  });

  it('a client that does not trust the server, and one that must have TLS from a server without it, wait until that has changed', async () => {
    const { certFile, keyFile, caFile } = await authority.write(directory, 'server');
    const [nats, plain] = [await secureServer('}'), await started('')];
    const strange = join(directory, 'strange.pem');
    await writeFile(strange, (await TestAuthority.create()).cert);
    const waiting = [
      { servers: urlOf(nats), caFile: strange },
      { servers: `nats://localhost:${plain.port}`, caFile },
    ].map(options => ({ ...spokenLog(), options }));
    const connected = waiting.map(({ options, log }) => client({ ...options, name: 'c', log }));
    await eventually(() => waiting.every(({ times }) => times('waiting for NATS') > 0), WAIT);
    expect(nats.logged('TLS handshake error')).toBeGreaterThan(0);
    await writeFile(strange, authority.cert);
    await plain.restart(`tls { cert_file: "${certFile}", key_file: "${keyFile}" }`);
    for (const messaging of await Promise.all(connected)) await messaging.ping();
  });

  it('files that cannot be used end the start with their settings and without what they contain', async () => {
    const nkeyFile = join(directory, 'nkey');
    await writeFile(nkeyFile, 'SUHIDDENWORDS');
    const start = connectNats({ servers: 'nats://127.0.0.1:1', name: 'c', nkeyFile });
    await expect(start).rejects.toThrow(BadEnvironmentError);
    await expect(start).rejects.toThrow(/NATS_NKEY_FILE.*has no seed/);
    await expect(start).rejects.not.toThrow(/HIDDENWORDS/);
  });
});
