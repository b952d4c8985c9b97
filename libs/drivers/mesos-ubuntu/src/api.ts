import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { DriverError, type DriverApi, type DriverContext } from '@stave/driver-sdk';
import type { ReachCluster, ReachedCluster } from '@stave/heat';
import { shownAgent, shownFramework, type MesosAgent, type MesosFramework } from './master-views.js';

export const masterPort = 5_050;
export const principal = 'stave';
/** Within the deadline of each operation in the manifest. */
const timeoutMs = 9_000;
const redirected = 307;
const unavailable = 503;

/** The operations of the driver: frameworks and agents as the master knows them. */
export function mesosApi(reach: ReachCluster): DriverApi {
  return {
    frameworks: async (ctx, { cluster }) => {
      const { frameworks } = await ask<{ readonly frameworks: readonly MesosFramework[] }>(
        ctx,
        await reach(ctx, cluster),
        'frameworks',
      );
      return { items: frameworks.map(shownFramework) };
    },
    agents: async (ctx, { cluster }) => {
      const answer = ask<{ readonly slaves: readonly MesosAgent[] }>(ctx, await reach(ctx, cluster), 'slaves');
      return { items: (await answer).slaves.map(shownAgent) };
    },
  };
}

/** Asks the only master of the cluster. The names of paths and members are those of Mesos 1.11, in its documentation of the master's endpoints. */
async function ask<T>(
  { signal }: DriverContext,
  { network, secrets }: ReachedCluster,
  what: 'frameworks' | 'slaves',
): Promise<T> {
  const host = network.firstAddress;
  const master = `http://${host}:${masterPort}`;
  const deadline = AbortSignal.timeout(timeoutMs);
  const headers = { accept: 'application/json' };
  const auth = `${principal}:${secrets['secret'] ?? ''}`;
  const path = `/master/${what}`;
  try {
    // a connection of its own, which no restart of the master has closed
    const options = { host, port: masterPort, path, headers, auth, agent: false } as const;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ ...options, signal: AbortSignal.any([signal, deadline]) }, resolve).on('error', reject);
    });
    if (answer.statusCode === 200) return (await json(answer)) as T;
    answer.resume();
    throw refused(master, answer.statusCode ?? 0);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof DriverError) throw cause;
    const reason = deadline.aborted ? 'did not answer in time' : `does not answer${codeOf(cause)}`;
    throw new DriverError('transient', `the master at ${master} ${reason}`, { cause });
  }
}

/** No redirection is followed: a cluster has one master, and nobody else gets the secret. */
function refused(master: string, status: number): DriverError {
  if (status === redirected || status === unavailable)
    return new DriverError('transient', `the master at ${master} does not lead yet`);
  return new DriverError(status >= 500 ? 'transient' : 'permanent', `the master at ${master} answered ${status}`);
}

const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? ` (${String(cause.code)})` : '';
