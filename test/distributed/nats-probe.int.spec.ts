import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  conductorInbox,
  conductorPermissions,
  neededOnNats,
  serviceInbox,
  servicePermissions,
  serviceUsers,
  type MessagePermissions,
} from '@stave/contracts';
import { keyToken, ringKey } from '@stave/domain';
import { connectNats } from '@stave/platform';
import { ConfiguredNats, describeOn, natsProgramMissing, repositoryRoot } from '@stave/testing';

jest.setTimeout(120_000);

const PASSWORD = 'cloudberry-77';
const CONDUCTOR = conductorPermissions('site-a', ['fake']);

/** Returns a user of the server that may do what is given, and answer. */
const user = (name: string, { publish, subscribe }: MessagePermissions): string =>
  `{ user: "${name}", password: "${PASSWORD}", permissions: { publish: ${JSON.stringify(publish)}, subscribe: ${JSON.stringify(subscribe)}, allow_responses: true } }`;

const without = (permissions: MessagePermissions, subject: string): MessagePermissions => ({
  publish: permissions.publish.filter(each => each !== subject),
  subscribe: permissions.subscribe.filter(each => each !== subject),
});
const work = `stave.work.${keyToken(ringKey('site-a', 'fake', 'group'))}.*`;

describeOn(natsProgramMissing(), 'permissions on NATS at the start of a process', () => {
  let nats: ConfiguredNats;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-probe-'));
    const users = [
      ...serviceUsers.map(name => user(name, servicePermissions(name))),
      user('site-a', CONDUCTOR),
      user('no-work', without(CONDUCTOR, work)),
      user('no-commands', without(servicePermissions('cluster-service'), 'stave.cmd.nodegroup-service.>')),
      `{ user: "anything", password: "${PASSWORD}" }`,
    ];
    nats = await ConfiguredNats.start(`authorization { users = [\n${users.join('\n')}\n] }`);
  });
  afterAll(async () => {
    await nats?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const connected = async (name: string, permissions: MessagePermissions, inbox: string): Promise<void> => {
    const needs = neededOnNats(permissions);
    const messaging = await connectNats({ servers: nats.url, name, user: name, pass: PASSWORD, inbox, needs });
    await messaging.close();
  };

  it.each(serviceUsers)(
    'those that are printed for %s suffice for it, and those of another service do not',
    async name => {
      const other = name === 'api-gateway' ? 'cluster-service' : 'api-gateway';
      await connected(name, servicePermissions(name), serviceInbox(name));
      await connected('anything', servicePermissions(name), serviceInbox(name));
      await expect(connected(other, servicePermissions(name), serviceInbox(name))).rejects.toThrow(/NATS refuses/);
    },
  );

  it('a conductor is refused with the permissions of another group, or without a driver of its own, by the subject', async () => {
    await connected('site-a', CONDUCTOR, conductorInbox('site-a'));
    await expect(connected('no-work', CONDUCTOR, conductorInbox('site-a'))).rejects.toThrow(work);
    const elsewhere = conductorPermissions('site-b', ['fake']);
    await expect(connected('site-a', elsewhere, conductorInbox('site-b'))).rejects.toThrow(elsewhere.publish[0]);
  });

  it('a service that may not send commands is refused by their subject', async () => {
    const permissions = servicePermissions('cluster-service');
    const attempt = connected('no-commands', permissions, serviceInbox('cluster-service'));
    await expect(attempt).rejects.toThrow('the publication stave.cmd.nodegroup-service.>');
  });

  it('a conductor whose user may not do its work ends with 1 and names the subject, without the password', async () => {
    const passwordFile = join(directory, 'password');
    await writeFile(passwordFile, PASSWORD, { mode: 0o600 });
    const env = {
      PATH: process.env['PATH'],
      ...{ NATS_URL: nats.url, NATS_USER: 'no-work', NATS_PASSWORD_FILE: passwordFile },
      ...{
        CONDUCTOR_ID: 'c1',
        CONDUCTOR_GROUP: 'site-a',
        DRIVERS_ENABLED: 'fake',
        DATA_DIR: directory,
        HEALTH_PORT: '0',
      },
    };
    const main = join(repositoryRoot(), 'apps', 'conductor', 'dist', 'main.js');
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const [code] = await once(child, 'close');
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(work) });
    expect(output).not.toContain(PASSWORD);
  });
});
