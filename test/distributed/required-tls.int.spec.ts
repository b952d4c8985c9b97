import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { eventually, TestAuthority } from '@stave/platform/testing';
import { repositoryRoot } from '@stave/testing';

type Settings = Readonly<Record<string, string>>;

describe('TLS of processes', () => {
  let directory: string;
  let authority: TestAuthority;
  const running: ChildProcess[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-tls-'));
    authority = await TestAuthority.create();
  });
  afterEach(async () => {
    for (const child of running.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'close');
      }
    }
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  function start(app: string, settings: Settings): { readonly child: ChildProcess; readonly output: () => string } {
    const child = spawn(process.execPath, [join(repositoryRoot(), 'apps', app, 'dist', 'main.js')], {
      env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: join(directory, app), ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => (output += text.toString()));
    return { child, output: () => output };
  }

  it.each([
    ['all-in-one', { IDENTITY_FILE: 'issuers' }, ['TLS_CERT_FILE', 'IDENTITY_FILE']],
    ['api-gateway', { IDENTITY_FILE: 'issuers' }, ['TLS_CERT_FILE', 'NATS_URL', 'EVENTSTORE_URL', 'IDENTITY_FILE']],
    [
      'cluster-service',
      { MONGODB_URL: 'mongodb://stave:cloudberry-77@127.0.0.1:1', HEALTH_PORT: '1' },
      ['TLS_CERT_FILE', 'NATS_URL', 'EVENTSTORE_URL', 'MONGODB_URL'],
    ],
    ['conductor', {}, ['NATS_URL']],
  ] satisfies [string, Settings, string[]][])(
    '%s does not start with REQUIRE_TLS and insecure settings, and names each of them',
    async (app, given, names) => {
      const identity = join(directory, 'identity.json');
      await writeFile(
        identity,
        JSON.stringify({ issuers: [{ issuer: 'http://issuer', audiences: ['a'], rules: [] }] }),
      );
      const settings = { ...given, ...('IDENTITY_FILE' in given && { IDENTITY_FILE: identity }), REQUIRE_TLS: 'true' };
      const { child, output } = start(app, settings);
      const [code] = await once(child, 'close');
      expect(code).toBe(1);
      expect(names.filter(name => !output().includes(name))).toEqual([]);
      expect(output()).not.toMatch(/cloudberry-77|http:\/\/issuer/);
    },
  );

  it('half of a pair is refused by name', async () => {
    const { child, output } = start('all-in-one', { TLS_CERT_FILE: join(directory, 'x.pem') });
    expect((await once(child, 'close'))[0]).toBe(1);
    expect(output()).toContain('TLS_CERT_FILE must be given together with TLS_KEY_FILE');
  });

  it('the product serves REST over TLS, keeps open connections and shows a new certificate to new ones', async () => {
    const files = await authority.write(directory, 'served');
    const settings = { TLS_CERT_FILE: files.certFile, TLS_KEY_FILE: files.keyFile, REQUIRE_TLS: 'true' };
    const { child, output } = start('all-in-one', { ...settings, DRIVERS_ENABLED: 'fake', LOG_LEVEL: 'info' });
    const url = await eventually(() => /ready at (https:\S+)/.exec(output())?.[1]);
    const get = (path: string, more: RequestOptions = {}): Promise<number | undefined> =>
      new Promise((resolve, reject) =>
        request(`${url}${path}`, { ca: authority.cert, agent: false, ...more }, answer => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end(),
      );
    expect(await get('/readyz')).toBe(200);
    expect(await get('/v1/clusters')).toBe(401);
    await expect(get('/readyz', { ca: [] })).rejects.toThrow();
    await expect(get('/readyz', { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow();
    expect(output()).not.toContain('insecure settings');

    const { port } = new URL(url);
    const shown = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect({ port: Number(port), host: '127.0.0.1', ca: authority.cert }, () => {
          resolve(String(socket.getPeerCertificate().subject.CN));
          socket.destroy();
        });
        socket.on('error', reject);
      });
    const old = connect({ port: Number(port), host: '127.0.0.1', ca: authority.cert });
    await once(old, 'secureConnect');
    const next = await authority.issue('next');
    await writeFile(files.certFile, next.cert);
    await writeFile(files.keyFile, next.key);
    await eventually(async () => (await shown()) === 'next', { timeoutMs: 60_000, everyMs: 200 });
    old.write('GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n');
    const [answer] = await once(old, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 200/);
    // an idle connection does not keep the process
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
    old.destroy();
  });

  it('the product names insecure settings in its log and starts', async () => {
    const { output } = start('all-in-one', { DRIVERS_ENABLED: 'fake' });
    await eventually(() => /ready at http:/.test(output()));
    expect(output()).toMatch(/"settings":\["TLS_CERT_FILE"\].*insecure settings/);
  });
});
