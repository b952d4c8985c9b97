import type { HostPort } from './model.js';

const LOWEST = 30_000;
const HIGHEST = 32_767;

/** Returns the number of the port among the taken ports of a node. */
export const portKey = ({ port, protocol }: HostPort): number => 2 * port + (protocol === 'udp' ? 1 : 0);

/**
 * Returns the ports that a request gets on a node with these taken ports, in the order of the request: those that it names, and the lowest
 * free ones of 30000 to 32767 for 0. Undefined when one is taken, is named twice or cannot be found.
 */
export function chooseHostPorts(
  wanted: readonly HostPort[],
  taken: ReadonlySet<number> | undefined,
): readonly HostPort[] | undefined {
  const own = new Set<number>();
  const isFree = (key: number): boolean => taken?.has(key) !== true && !own.has(key);
  for (const host of wanted) {
    if (host.port === 0) continue;
    if (!isFree(portKey(host))) return undefined;
    own.add(portKey(host));
  }
  const chosen: HostPort[] = [];
  for (const host of wanted) {
    let { port } = host;
    if (port === 0) {
      port = LOWEST;
      while (port <= HIGHEST && !isFree(portKey({ port, protocol: host.protocol }))) port += 1;
      if (port > HIGHEST) return undefined;
      own.add(portKey({ port, protocol: host.protocol }));
    }
    chosen.push({ port, protocol: host.protocol });
  }
  return chosen;
}
