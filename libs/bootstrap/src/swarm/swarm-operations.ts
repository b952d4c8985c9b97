import { libDirectory } from '../machine/directories.js';
import type { MachineFile } from '../machine/machine-configuration.js';
import { script } from '../shell/script.js';
import type { SwarmNodeDescription } from './swarm-description.js';

const leaveBody = `
state() { docker info --format '{{.Swarm.LocalNodeState}} {{.Swarm.ControlAvailable}}'; }
is_worker() { [ "$(state)" = 'active false' ]; }
case $(state) in
  inactive*) exit 0 ;;
  'active true')
    if [ "$(docker node ls --filter role=manager --quiet | wc -l)" -gt 1 ]; then
      docker node demote self >/dev/null
      wait_until 60 is_worker
    fi
    ;;
esac
docker swarm leave --force >/dev/null
`;

const drainBody = `
tasks_left() { docker node ps --filter desired-state=running --quiet "$1"; }
is_empty() { [ -z "$(tasks_left "$1")" ]; }
docker node update --availability drain "$1" >/dev/null
wait_until "$seconds" is_empty "$1"
`;

const rotateTokenBody = 'docker swarm join-token --rotate --quiet "$1" >/dev/null';

const rotateAuthorityBody = 'docker swarm ca --rotate --quiet >/dev/null';

/**
 * Returns the scripts for later: `leave` on every node; on managers `drain <node>`, `rotate-join-token worker|manager`, after which former
 * tokens admit no one, and `rotate-authority`, after which all nodes have certificates of a new authority.
 */
export function swarmOperations({ role, readyTimeoutSeconds = 600 }: SwarmNodeDescription): MachineFile[] {
  const operation = (name: string, content: string): MachineFile => ({
    path: `${libDirectory}/${name}`,
    content,
    mode: 0o755,
  });
  const leave = operation('leave', script(leaveBody));
  if (role === 'worker') return [leave];
  return [
    leave,
    operation('drain', script(drainBody, { seconds: readyTimeoutSeconds })),
    operation('rotate-join-token', script(rotateTokenBody)),
    operation('rotate-authority', script(rotateAuthorityBody)),
  ];
}
