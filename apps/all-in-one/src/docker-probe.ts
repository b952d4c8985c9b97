import { request } from 'node:http';

const PROBE_MS = 1_000;

/** Resolves with whether a Docker Engine answers at DOCKER_HOST; default: the usual unix socket. */
export function dockerAnswers(env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const host = env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  const target = host.startsWith('unix://')
    ? { socketPath: host.slice('unix://'.length) }
    : new URL(host.replace(/^tcp:/, 'http:'));
  return new Promise(resolve => {
    const where = target instanceof URL ? { hostname: target.hostname, port: target.port } : target;
    const probe = request({ ...where, path: '/_ping', timeout: PROBE_MS }, answer => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    probe.on('timeout', () => probe.destroy());
    probe.on('error', () => resolve(false));
    probe.end();
  });
}
