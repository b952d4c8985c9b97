import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callSubject, type CallRequest } from '@stave/contracts';
import { DriverError, type SecretReferences } from '@stave/driver-sdk';
import { eventually } from '@stave/platform/testing';
import { aContainerTask, aHolding, ConductorBench } from '../testing/conductor-bench.js';

jest.setTimeout(120_000);

const token = 'a-token-that-nobody-may-see';
const key = '-----BEGIN KEY-----\nfirst-line-of-key\nsecond-line-of-key\n-----END KEY-----';
const login = 'puller:the-password-of-it';
const hidden = [token, 'first-line-of-key', 'second-line-of-key', login, Buffer.from(login).toString('base64')];

describe('Secrets of containers', () => {
  let bench: ConductorBench;
  let secretsDir = '';
  const secrets: SecretReferences = {
    project: ['p1', 'shop'],
    env: { TOKEN: 'token', KEY: 'key' },
    imageCredentials: 'registry',
  };

  beforeEach(async () => {
    secretsDir = await mkdtemp(join(tmpdir(), 'stave-secrets-'));
    await mkdir(join(secretsDir, 'projects', 'shop'), { recursive: true });
    await writeFile(join(secretsDir, 'projects', 'shop', 'token'), `${token}\n`);
    await writeFile(join(secretsDir, 'projects', 'shop', 'key'), key);
    bench = new ConductorBench();
    bench.driver.secrets.set('registry', login);
    bench.services.holdings = [aHolding([5])];
    bench.services.start();
  });
  afterEach(async () => {
    await bench.close();
    await rm(secretsDir, { recursive: true });
  });

  async function outcomeOf(taskId: string) {
    const conductor = await bench.conductor({ secretsDir });
    await conductor.start();
    return eventually(() => bench.services.endsOf(taskId)[0]?.outcome, 'the task ended');
  }

  it('the driver gets the values, from the files and from its own store, and nothing of them is reported', async () => {
    bench.services.open.push(aContainerTask('c1', { env: { PLAIN: 'x' }, secrets }));
    bench.driver.script = async ({ ctx, container }) => {
      ctx.progress(`login with ${container?.imageCredentials}`);
      await eventually(() => bench.services.reports.length > 0, 'the step is reported');
      const { TOKEN, KEY = '' } = container?.env ?? {};
      const lines = KEY.split('\n').join(' and ');
      const encoded = Buffer.from(container?.imageCredentials ?? '').toString('base64');
      throw new DriverError('permanent', `refused: ${TOKEN}, ${lines}, ${encoded}`);
    };
    expect(await outcomeOf('task-of-c1')).toMatchObject({ type: 'failed', failure: 'permanent' });
    expect(bench.driver.calls[0]?.container).toMatchObject({
      env: { PLAIN: 'x', TOKEN: token, KEY: key },
      imageCredentials: login,
    });
    expect(bench.driver.calls[0]?.container?.secrets).toBeUndefined();
    const seen = JSON.stringify(bench.services.reports);
    expect(seen).toContain('login with [secret]');
    for (const value of hidden) expect(seen).not.toContain(value);
  });

  it('a container whose secrets do not exist fails for good, and the driver is not asked to create it', async () => {
    const missing = { ...secrets, env: { TOKEN: 'token', A: 'first', B: 'second' } };
    bench.services.open.push(aContainerTask('c1', { secrets: missing }));
    expect(await outcomeOf('task-of-c1')).toEqual({
      type: 'failed',
      failure: 'permanent',
      code: 'secret-missing',
      message:
        'secrets first, second do not exist in project shop: neither in SECRETS_DIR nor in the store of the driver',
    });
    expect(bench.driver.idsOf('container.create')).toEqual([]);
  });

  it('a secret that is too short to be removed from messages is refused', async () => {
    bench.driver.secrets.set('short', '1234567');
    bench.services.open.push(aContainerTask('c1', { secrets: { project: ['p1'], env: { A: 'short' } } }));
    expect(await outcomeOf('task-of-c1')).toMatchObject({ failure: 'permanent', code: 'secret-unusable' });
  });

  it('the log of a container does not show its secrets, also after a restart of the conductor', async () => {
    await writeFile(join(secretsDir, 'projects', 'shop', 'later'), 'a-value-unknown-to-this-process');
    bench.driver.written = 'the value is a-value-unknown-to-this-process!\n';
    const conductor = await bench.conductor({ secretsDir });
    await conductor.start();
    await eventually(() => bench.tableOf(conductor).epoch === 1, 'the first table');
    await eventually(() => bench.openDriversOf(conductor).length === 1, 'the driver is open');
    const ref = { id: 'c1', clusterId: 'k1', nodeId: 'n1', generation: 1, options: {}, tail: 10 };
    const call: CallRequest = {
      kind: 'container.logs',
      driver: { name: 'scripted', version: '1.0.0' },
      spec: { ...ref, secrets: { project: ['shop'], env: { LATER: 'later' } } },
    };
    const reply = await bench.messaging.request(callSubject('token-of-scripted', 5), call, { timeoutMs: 60_000 });
    expect(reply).toEqual({ ok: true, data: 'the value is [secret]!\n' });
  });
});
