import { existsSync } from 'node:fs';

/** The path of the socket of this machine's Docker Engine. */
export const hostSocket = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');

/** Returns why tests on a Docker Engine are skipped; undefined when this machine has an engine. */
export function dockerMissing(): string | undefined {
  if (existsSync(hostSocket)) return undefined;
  return `no Docker Engine has a socket at ${hostSocket}: start one with scripts/start-docker.sh`;
}
