import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './server-process.js';
import { repositoryRoot, serversConfig } from './servers.config.js';

const run = promisify(execFile);
const scripts = (): string => join(repositoryRoot(), 'test', 'servers', 'openstack');
const startWithinMs = 900_000;

/** A user of the OpenStack of the tests; each has a file of variables. */
export type OpenStackUser = 'admin' | 'member' | 'reader' | 'demo-admin' | 'other' | 'small';

/** What is done to a process of OpenStack, such as `heat-engine1` or `nova-api`. */
export type ServiceAction = 'kill' | 'start' | 'stop' | 'pause' | 'resume';

/** A real OpenStack without a hypervisor: test/servers/openstack. */
export interface OpenStackServer {
  /** Returns the variables `OS_*` of a user. */
  environment(user: OpenStackUser): Promise<Readonly<Record<string, string>>>;
  /** Kills, starts, stops, freezes or continues a process. */
  service(action: ServiceAction, name: string): Promise<void>;
  /** Whether every process runs. */
  health(): Promise<boolean>;
  /** Plays the nodes: sends the signals in their user data, until it is stopped. `fail`: servers with such names report a failure. */
  playNodes(options?: { readonly fail?: string }): Promise<{ stop(): void }>;
  /** Stops everything and removes its state. */
  stop(): Promise<void>;
}

/** Returns why OpenStack is not started; undefined when it is. Its tests run only where STAVE_TEST_OPENSTACK is `true`: it takes minutes. */
export function openStackMissing(): string | undefined {
  if (!serversConfig.openStack) return 'set STAVE_TEST_OPENSTACK=true; the tests then install and start OpenStack';
  if (process.getuid?.() !== 0) return 'OpenStack is installed and started by root only';
  return existsSync('/usr/bin/apt-get') ? undefined : 'OpenStack needs the packages of Debian';
}

/**
 * Installs what is missing and starts OpenStack with a state of its own, within 15 minutes; on two free cores in two minutes. With OSRIG_STATE in
 * the environment it uses the OpenStack there and leaves it running. `services`: `cinder`, which adds that service.
 */
export async function startOpenStack(services: readonly 'cinder'[] = []): Promise<OpenStackServer> {
  const kept = serversConfig.openStackState;
  const state = kept ?? (await mkdtemp(join(tmpdir(), 'stave-openstack-')));
  const settings =
    kept === undefined ? { OSRIG_PORT_BASE: String(await freeBase()), OSRIG_WITH: services.join(' ') } : {};
  const env = { ...process.env, OSRIG_STATE: state, ...settings };
  const call = async (program: string, ...args: string[]): Promise<string> => {
    const options = { env, timeout: startWithinMs, maxBuffer: 1 << 24 };
    return (await run(join(scripts(), program), args, options)).stdout;
  };
  const remove = async (): Promise<void> => {
    if (kept !== undefined) return;
    await call('down', '--wipe');
    await rm(state, { recursive: true, force: true });
  };
  await call('up').catch(async (cause: unknown) => {
    await remove();
    throw new Error('OpenStack does not start', { cause });
  });
  const environment = (user: OpenStackUser): Promise<Record<string, string>> => variablesIn(state, user);
  const players: ChildProcess[] = [];
  return {
    environment,
    service: async (action, name) => void (await call('svc', action, name)),
    health: async () => !/ stopped$/m.test(await call('svc', 'list')),
    playNodes: async ({ fail } = {}) => {
      const args = fail === undefined ? [] : ['--fail', fail];
      const variables = { ...env, ...(await environment('admin')) };
      const player = spawn(join(scripts(), 'agent.py'), args, { env: variables, stdio: 'ignore' });
      players.push(player);
      return { stop: () => void player.kill() };
    },
    stop: async () => {
      for (const player of players) player.kill();
      await remove();
    },
  };
}

/** The ports of the services follow a base, so that one free port in a range that is otherwise unused suffices. */
async function freeBase(): Promise<number> {
  const port = await freePort();
  return 15_000 + (port % 150) * 100;
}

async function variablesIn(state: string, user: OpenStackUser): Promise<Record<string, string>> {
  const text = await readFile(join(state, user === 'admin' ? 'openrc' : `openrc-${user}`), 'utf8');
  return Object.fromEntries(
    [...text.matchAll(/^export (OS_\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}
