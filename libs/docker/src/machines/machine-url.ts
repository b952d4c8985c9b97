import { isIPv4 } from 'node:net';
import { DriverError } from '@stave/driver-sdk';

const ports = { tcp: 2376, ssh: 22 } as const;
const defaultSocket = '/var/run/docker.sock';

/** The URL of the engine of a machine, taken apart. */
export interface MachineUrl {
  readonly scheme: 'unix' | 'tcp' | 'ssh';
  /** Empty for a socket of this machine. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The path of the socket; empty for TCP. */
  readonly path: string;
  /** The address that the other nodes of a cluster use, where it is not that of the host. */
  readonly advertise?: string;
}

/** Returns the error of a machine that can never be a node. */
export const unsuitable = (message: string, cause?: unknown): DriverError =>
  new DriverError('permanent', message, { code: 'engine-unsuitable', ...(cause !== undefined && { cause }) });

/** Reads `unix:///path`, `tcp://host:port` or `ssh://user@host:port/path`, each with `?advertise=<IPv4>`. Throws `engine-unsuitable`. */
export function parseMachineUrl(text: string): MachineUrl {
  const url = parsed(text);
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== 'unix' && scheme !== 'tcp' && scheme !== 'ssh')
    throw unsuitable(`engines are reached by unix, tcp and ssh, not by ${scheme}`);
  const advertise = advertiseIn(url);
  const path = decodeURIComponent(url.pathname);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const parts: MachineUrl = {
    scheme,
    host,
    port: 0,
    user: url.username,
    path,
    ...(advertise !== undefined && { advertise }),
  };
  if (url.hash !== '') throw unsuitable('the URL of an engine has no fragment');
  if (scheme === 'unix') return onThisMachine(parts);
  if (host === '' || host.startsWith('-')) throw unsuitable(`${scheme}:// needs the host of the engine`);
  const port = url.port === '' ? ports[scheme] : Number(url.port);
  if (scheme === 'ssh') return onSsh({ ...parts, port });
  if (path !== '' && path !== '/') throw unsuitable('tcp:// has no path: tcp://<host>:<port>');
  if (url.username !== '') throw unsuitable('tcp:// has no user: its certificate is in engine.secret');
  return { ...parts, port, path: '' };
}

function onSsh(parts: MachineUrl): MachineUrl {
  if (parts.user.startsWith('-')) throw unsuitable('the user of an ssh:// URL does not begin with a hyphen');
  if (!/^[\w./-]*$/.test(parts.path))
    throw unsuitable('the path of an ssh:// URL has letters, digits, dots, hyphens, underscores and slashes only');
  return { ...parts, path: parts.path === '' || parts.path === '/' ? defaultSocket : parts.path };
}

function onThisMachine(parts: MachineUrl): MachineUrl {
  if (parts.host !== '' || parts.path.length < 2)
    throw unsuitable('unix:// needs the path of a socket: unix:///run/docker.sock');
  if (parts.advertise === undefined)
    throw unsuitable(
      'unix:// does not contain the address of the machine: add ?advertise=<its IPv4 address> to the URL',
    );
  return parts;
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch (cause) {
    throw unsuitable('the URL of the engine cannot be read', cause);
  }
}

function advertiseIn({ searchParams }: URL): string | undefined {
  const unknown = [...searchParams.keys()].filter(key => key !== 'advertise');
  if (unknown.length > 0)
    throw unsuitable(`the URL of an engine has the parameter advertise only, not ${unknown.join(', ')}`);
  const advertise = searchParams.get('advertise') ?? undefined;
  if (advertise !== undefined && !isIPv4(advertise)) throw unsuitable('advertise must be an IPv4 address');
  return advertise;
}
