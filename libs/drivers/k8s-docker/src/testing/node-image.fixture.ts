import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const build = join(__dirname, '../../image/build.sh');

/** The path of the socket of this machine's Docker Engine. */
export const hostSocket = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');

/** Which image of nodes: of the version that is compiled, by default the present one; `version`: of the same programs that call themselves this. */
export interface ImageChoice {
  readonly sources?: string;
  readonly version?: string;
}

/**
 * Returns why tests on real clusters are skipped; undefined when this machine has an engine and the node image, or a cache from which the image
 * is built in a minute. They run only where STAVE_TEST_KUBERNETES is `true`: they take many minutes, and two gigabytes of memory.
 */
export function kubernetesMissing(choice: ImageChoice = {}): string | undefined {
  if (process.env['STAVE_TEST_KUBERNETES'] !== 'true') return 'set STAVE_TEST_KUBERNETES=true';
  if (!existsSync(hostSocket)) return `no Docker Engine has a socket at ${hostSocket}`;
  const { status, stderr } = run(choice, '--check');
  return status === 0 ? undefined : stderr.trim();
}

/** Builds the image of nodes where it is missing, and returns its name. */
export function ensureNodeImage(choice: ImageChoice = {}): string {
  const { status, stdout, stderr } = run(choice);
  if (status !== 0) throw new Error(`the node image could not be built: ${stderr}`);
  return stdout.trim();
}

function run({ sources, version }: ImageChoice, ...args: readonly string[]) {
  const own = sources === undefined && version === undefined ? {} : { K8S_DOCKER_NODE_IMAGE: '' };
  const env = {
    ...process.env,
    ...own,
    ...(sources !== undefined && { K8S_DOCKER_SOURCES: sources }),
    ...(version !== undefined && { K8S_DOCKER_VERSION_STAMP: version }),
  };
  return spawnSync('bash', [build, ...args], { encoding: 'utf8', env });
}
