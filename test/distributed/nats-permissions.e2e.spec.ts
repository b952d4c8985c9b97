import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupToken, keyToken, ringKey } from '@stave/domain';
import {
  ConfiguredNats,
  describeOn,
  eventually,
  natsProgramMissing,
  repositoryRoot,
  StaveClient,
} from '@stave/testing';
import { connect, Events, nkeyAuthenticator, nkeys, type NatsConnection } from 'nats';
import { startDistributed, type DistributedStack } from './stack.js';

jest.setTimeout(240_000);

const SERVICES = ['api-gateway', 'cluster-service', 'nodegroup-service', 'container-scheduler'];
const CONDUCTORS = { 'in-a': 'site-a', 'in-b': 'Site-B' };

/** Runs the command as an operator does. */
const permissionsOf = (...args: string[]): string =>
  execFileSync(join(repositoryRoot(), 'apps', 'all-in-one', 'bin', 'stave-admin.js'), ['nats-permissions', ...args], {
    encoding: 'utf8',
  });

describeOn(natsProgramMissing(), 'the product on NATS with the printed permissions', () => {
  const seeds = new Map<string, Uint8Array>();
  let directory: string;
  let nats: ConfiguredNats;
  let stack: DistributedStack;
  let intruder: NatsConnection;
  const refused = new Set<string>();

  /** Makes a key, and returns its user for the configuration of the server. */
  async function user(name: string, permissions: string): Promise<string> {
    const key = nkeys.createUser();
    seeds.set(name, key.getSeed());
    await writeFile(join(directory, `${name}.nk`), key.getSeed(), { mode: 0o600 });
    return `{ nkey: ${key.getPublicKey()}, ${permissions} }`;
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-permissions-'));
    const users = [
      ...(await Promise.all(SERVICES.map(name => user(name, permissionsOf('--service', name))))),
      ...(await Promise.all(
        Object.entries(CONDUCTORS).map(([name, group]) =>
          user(name, permissionsOf('--group', group, '--drivers', 'fake')),
        ),
      )),
    ];
    nats = await ConfiguredNats.start(`jetstream: enabled\nauthorization { users = [\n${users.join('\n')}\n] }`);
    const own = (name: string) => ({ NATS_URL: nats.url, NATS_NKEY_FILE: join(directory, `${name}.nk`) });
    stack = await startDistributed({
      dataDir: join(directory, 'data'),
      conductors: Object.entries(CONDUCTORS).map(([id, group]) => ({ id, group })),
      envOf: Object.fromEntries([...seeds.keys()].map(name => [name, own(name)])),
    });
    intruder = await connect({
      servers: nats.url,
      authenticator: nkeyAuthenticator(() => seeds.get('in-b') ?? new Uint8Array()),
      inboxPrefix: `_INBOX.${groupToken('site-b')}.intruder`,
    });
    void (async () => {
      for await (const { type, permissionContext } of intruder.status())
        if (type === Events.Error && permissionContext)
          refused.add(`${permissionContext.operation} ${permissionContext.subject}`);
    })();
  });
  afterAll(async () => {
    await intruder?.close();
    await stack?.close();
    await nats?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('builds and deletes clusters in both groups, and nothing that a process needs is refused', async () => {
    const api = new StaveClient(stack.url, stack.adminKey);
    for (const conductorGroup of Object.values(CONDUCTORS)) {
      const nodeGroups = [{ name: 'w', role: 'worker', count: 2, flavor: { cpus: 1, memoryMb: 512 } }];
      const name = `c-${conductorGroup.toLowerCase()}`;
      await api.succeed(api.post('/v1/clusters', { name, driver: 'fake', conductorGroup, nodeGroups }));
      await api.succeed(api.delete(`/v1/clusters/${name}`));
    }
    const conductors = await api.list<{ readonly group: string }>('/v1/conductors');
    expect(conductors.map(({ group }) => group).sort()).toEqual(Object.values(CONDUCTORS).sort());
    const logs = join(directory, 'data', 'logs');
    for (const file of await readdir(logs))
      expect(await readFile(join(logs, file), 'utf8')).not.toContain('NATS refuses');
  });

  it('a conductor of one group cannot hear or publish what belongs to others', async () => {
    const [a, keyA] = [groupToken('site-a'), keyToken(ringKey('site-a', 'fake', 'group'))];
    const unheard = [
      ...['>', 'stave.>', '_INBOX.>', `_INBOX.${a}.>`, '_INBOX.cluster-service.>', 'stave.cmd.cluster-service.>'],
      ...['stave.work.*.*', `stave.work.${keyA}.*`, `stave.call.${keyA}.1`, `stave.from.${a}.>`, 'stave.from.*.>'],
      ...[`stave.ring.heartbeat-reply.${a}.in-a`, 'stave.ring.heartbeat-reply.>', `stave.ring.session.${a}.*`],
      ...['stave.ring.heartbeat', 'stave.ring.heartbeat.*', `stave.ring.cancel.${a}.*`, `stave.logs.${a}.*`],
      ...['stave.elect.cluster-service', 'stave.settled.cluster-service', 'stave.evt.>', 'stave.telemetry.>'],
    ];
    const unsaid = [
      ...['stave.cmd.cluster-service.cluster.delete', 'stave.cmd.nodegroup-service.task.claim'],
      ...['stave.cmd.cluster-service.conductor.register', `stave.from.${a}.cluster-service.conductor.register`],
      ...[`stave.from.${a}.nodegroup-service.task.report`, `stave.from.${a}.nodegroup-service.task.claim`],
      ...['stave.ring.heartbeat', `stave.ring.heartbeat.${a}`, `stave.ring.heartbeat-reply.${a}.in-a`],
      ...['stave.ring.epoch', `stave.ring.cancel.${a}.in-a`, 'stave.ring.stale', `stave.call.${keyA}.1`],
      ...[`stave.work.${keyA}.1`, 'stave.elect.cluster-service', 'stave.settled.cluster-service', `_INBOX.${a}.x`],
      ...['_INBOX.cluster-service.x', 'stave.telemetry.node-usage', `stave.telemetry.node-usage.${a}`, 'stave.evt.x'],
      ...['$JS.API.STREAM.DELETE.STAVE_EVENTS', `stave.logs.${a}.x`, 'stave.telemetry.key-usage'],
    ];
    for (const subject of unheard) intruder.subscribe(subject, { callback: () => undefined });
    for (const subject of unsaid) intruder.publish(subject, '{}');
    await intruder.flush();
    const wanted = [
      ...unheard.map(subject => `subscription ${subject}`),
      ...unsaid.map(subject => `publish ${subject}`),
    ];
    await eventually(() => refused.size >= wanted.length).catch(() => undefined);
    expect(wanted.filter(each => !refused.has(each))).toEqual([]);
  });

  it('services refuse what a conductor says of others on its own subjects', async () => {
    const b = groupToken('site-b');
    const meta = { correlationId: 'x', actor: { keyId: 'conductor:in-a', role: 'admin', project: null } };
    const ask = async (subject: string, body: object): Promise<unknown> =>
      (
        await intruder.request(`stave.from.${b}.${subject}`, JSON.stringify({ meta, body }), { timeout: 10_000 })
      ).json();
    const register = {
      conductor: 'in-a',
      group: 'site-a',
      session: 's',
      drivers: [],
      weight: 1,
      release: '0',
      keyMode: 'group',
    };
    const holdings = [{ key: ringKey('site-a', 'fake', 'group'), version: '1.0.0', slots: [1] }];
    for (const [subject, body] of [
      ['cluster-service.conductor.register', register],
      ['cluster-service.conductor.register', { ...register, group: 'site-b' }],
      ['cluster-service.conductor.leave', { conductor: 'in-a', session: 's' }],
      ['cluster-service.conductor.table', { conductor: 'in-a', session: 's' }],
      [
        'nodegroup-service.health.expected',
        { conductor: 'in-b', session: 's', epoch: 0, max: 9, holdings, everySlot: true },
      ],
      ['nodegroup-service.task.claim', { conductor: 'in-a', session: 's', epoch: 0, max: 1, holdings }],
    ] as const)
      expect({ subject, answer: await ask(subject, body) }).toMatchObject({
        answer: { ok: false, error: { code: 'member-not-proven' } },
      });
  });
});

describe('stave-admin nats-permissions', () => {
  it.each([
    [['--group', 'a', '--drivers', 'fake'], { RING_KEY_PIN: 'true' }, /RING_KEY_PIN/],
    [['--service', 'other'], {}, /--service is one of/],
    [['--group', 'a'], {}, /--drivers/],
    [['--group', 'a', '--drivers', 'x y'], {}, /--drivers/],
    [['--group', 'a', '--drivers', 'fake', '--service', 'api-gateway'], {}, /neither/],
    [['--leaf', '--service', 'api-gateway'], {}, /nor --leaf/],
    [['--leaf', '--drivers', 'fake'], {}, /--group or --service/],
    [[], {}, /--group or --service/],
  ])('%j with %j is refused with a reason and the usage', (args, env, reason) => {
    const command = join(repositoryRoot(), 'apps', 'all-in-one', 'bin', 'stave-admin.js');
    const run = (): string =>
      execFileSync(process.execPath, [command, 'nats-permissions', ...args], {
        encoding: 'utf8',
        env: { ...process.env, ...env },
        stdio: 'pipe',
      });
    expect(run).toThrow(reason);
    expect(run).toThrow(/--group GROUP --drivers/);
  });
});
