import { isWebSocketNats } from '../../transport/insecure-settings.js';
import type { NatsFiles } from './nats-files.js';
import type { NatsTransportOptions } from './nats-transport.js';
import { openWebSocket } from './web-socket-stream.js';

const HTTPS_PORT = 443;
const HANDSHAKE_MS = 15_000;

/**
 * Returns the options with which a connection runs over WebSockets to these `wss://` addresses; undefined when none is one.
 * Only these addresses are used: those that servers announce are seldom reachable where only a WebSocket is.
 */
export function webSocketOptions(
  servers: readonly string[],
  files: NatsFiles,
): Pick<NatsTransportOptions, 'servers' | 'open' | 'resolve' | 'ignoreClusterUpdates'> | undefined {
  if (!servers.some(isWebSocketNats)) return undefined;
  const urls = new Map(servers.map(server => [hostAndPort(server), server.trim()]));
  return {
    servers: [...urls.keys()],
    resolve: false,
    ignoreClusterUpdates: true,
    open: ({ hostname, port }) => {
      const url = urls.get(joined(hostname, port)) ?? `wss://${joined(hostname, port)}`;
      const { ca, cert, key } = files.current;
      return openWebSocket(url, {
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert, key }),
        handshakeTimeout: HANDSHAKE_MS,
      });
    },
  };
}

const joined = (hostname: string, port: number): string =>
  `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;

function hostAndPort(server: string): string {
  const { hostname, port } = new URL(server.trim());
  return `${hostname}:${port || HTTPS_PORT}`;
}
