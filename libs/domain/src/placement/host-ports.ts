import type { HostPort } from './model.js';

const FIRST = 30_000;
const CHOICE = 2_768;

/** Returns the number of the port among the taken ports of a node. */
export const portKey = ({ port, protocol }: HostPort): number => 2 * port + (protocol === 'udp' ? 1 : 0);

export type HostPortRefusal = 'port-taken' | 'no-free-port';

/**
 * Returns the ports that a request gets on a node, in the order of the request: those that it names, and free ones of 30000 to 32767 for 0.
 * The search of each begins at a number that `startOf` gives for its place in the request, so that it is short where that differs between
 * containers; by default at the lowest.
 */
export function chooseHostPorts(
  wanted: readonly HostPort[],
  isTaken: (host: HostPort) => boolean,
  startOf: (index: number) => number = () => 0,
): readonly HostPort[] | HostPortRefusal {
  const own = new Set<number>();
  const isFree = (host: HostPort): boolean => !own.has(portKey(host)) && !isTaken(host);
  for (const host of wanted) {
    if (host.port === 0) continue;
    if (!isFree(host)) return 'port-taken';
    own.add(portKey(host));
  }
  const chosen: HostPort[] = [];
  for (const [index, host] of wanted.entries()) {
    const port = host.port === 0 ? freePort(host, isFree, startOf(index)) : host.port;
    if (port === undefined) return 'no-free-port';
    own.add(portKey({ ...host, port }));
    chosen.push({ ...host, port });
  }
  return chosen;
}

function freePort({ protocol }: HostPort, isFree: (host: HostPort) => boolean, start: number): number | undefined {
  for (let tried = 0; tried < CHOICE; tried += 1) {
    const port = FIRST + ((start + tried) % CHOICE);
    if (isFree({ port, protocol })) return port;
  }
  return undefined;
}
