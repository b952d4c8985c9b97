import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { BadEnvironmentError } from '../config/read-environment.js';
import { serveHealth, type HealthServer } from '../config/serve-health.js';
import { eventually } from '../testing/eventually.js';
import { TestAuthority } from '../testing/test-authority.js';
import { ServedCertificate } from './served-certificate.js';

describe('the certificate of a health port', () => {
  let directory: string;
  let authority: TestAuthority;
  const errors: string[] = [];
  const closing: (() => Promise<void> | void)[] = [];
  const log = { info: () => undefined, error: (_: object, text: string) => void errors.push(text) };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-certificate-'));
    authority = await TestAuthority.create();
    errors.length = 0;
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await rm(directory, { recursive: true, force: true });
  });

  async function served(): Promise<{
    readonly health: HealthServer;
    readonly certFile: string;
    readonly keyFile: string;
  }> {
    const files = await authority.write(directory, 'health');
    const certificate = ServedCertificate.open({ ...files, log: log as never, readMs: 10 });
    const health = await serveHealth({ host: '127.0.0.1', port: 0 }, async () => ({}), { certificate });
    closing.push(
      () => certificate.close(),
      () => health.close(),
    );
    return { health, ...files };
  }

  /** Replaces a file in one step, so that no reader finds a part of it. */
  async function replace(file: string, text: string): Promise<void> {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }

  /** Returns the common name of the certificate that the server shows. */
  const shown = (port: number, options: object = {}): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca: authority.cert, ...options }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.on('error', reject);
    });

  it('answers over TLS to a client that trusts the authority', async () => {
    const { health } = await served();
    const status = await new Promise((resolve, reject) =>
      get(
        { port: health.port, host: '127.0.0.1', path: '/readyz', ca: authority.cert, agent: false },
        ({ statusCode }) => resolve(statusCode),
      ).on('error', reject),
    );
    expect(status).toBe(200);
    await expect(fetch(`http://127.0.0.1:${health.port}/livez`)).rejects.toThrow();
  });

  it('takes TLS 1.2 and nothing before', async () => {
    const { health } = await served();
    expect(await shown(health.port, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })).toBe('health');
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(shown(health.port, old)).rejects.toThrow();
  });

  it('is exchanged while the server runs, and a pair that does not fit is logged once and not taken', async () => {
    const { health, certFile, keyFile } = await served();
    const next = await authority.issue('next');
    await replace(certFile, next.cert);
    await eventually(() => errors.length === 1);
    expect(await shown(health.port)).toBe('health');
    await replace(keyFile, next.key);
    await eventually(async () => (await shown(health.port)) === 'next');
    await replace(certFile, 'no certificate');
    await eventually(() => errors.length === 2);
    await rm(keyFile);
    await eventually(async () => (await shown(health.port)) === 'next');
    expect(errors.every(text => text.includes('TLS_CERT_FILE'))).toBe(true);
  });

  it('a start with a pair that cannot be used is refused by the names of the settings, without what the files contain', async () => {
    const files = await authority.write(directory, 'bad');
    await writeFile(files.keyFile, (await authority.issue('other')).key);
    const open = (): unknown => ServedCertificate.open({ ...files, log: log as never });
    expect(open).toThrow(BadEnvironmentError);
    expect(open).toThrow(/TLS_CERT_FILE and TLS_KEY_FILE.*does not belong/);
    await writeFile(files.keyFile, 'hidden words');
    expect(open).toThrow(/private key is not PEM/);
    expect(open).not.toThrow(/hidden words/);
    await rm(files.certFile);
    expect(open).toThrow(/certificate cannot be read \(ENOENT\)/);
  });
});
