import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const build = join(__dirname, '../../image/build.sh');

/** The path of the socket of this machine's Docker Engine. */
export const hostSocket = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');

/**
 * Returns why tests on real clusters are skipped; undefined when this machine has an engine and the node image, or a cache from which the image
 * is built in a minute. They run only where STAVE_TEST_KUBERNETES is `true`: they take many minutes, and two gigabytes of memory.
 */
export function kubernetesMissing(): string | undefined {
  if (process.env['STAVE_TEST_KUBERNETES'] !== 'true') return 'set STAVE_TEST_KUBERNETES=true';
  if (!existsSync(hostSocket)) return `no Docker Engine has a socket at ${hostSocket}`;
  const { status, stderr } = spawnSync('bash', [build, '--check'], { encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim();
}

/** Builds the image of nodes where it is missing. */
export function ensureNodeImage(): void {
  const { status, stderr } = spawnSync('bash', [build], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the node image could not be built: ${stderr}`);
}
