import type { ReadinessSignal } from '../description/machine-description.js';
import { script } from '../shell/script.js';
import { libDirectory, secretsDirectory, stateDirectory } from './directories.js';
import type { MachineFile, MachinePart } from './machine-configuration.js';

const reportBody = `
status=$1
reason=ready
if [ "$status" != SUCCESS ]; then reason="step $(cat "$state/failed-step") failed"; fi
echo "$reason" | replace_file "$state/outcome" 644
if [ ! -e "$signal" ] || [ "$(cat "$state/reported" 2>/dev/null)" = "$status" ]; then exit 0; fi
printf '{"status":"%s","reason":"%s","id":"%s","data":""}' "$status" "$reason" "$node" |
  curl --config "$signal" --silent --show-error --fail --output /dev/null --max-time 60 --retry 20 --retry-all-errors --retry-max-time 600 --data-binary @-
echo "$status" | replace_file "$state/reported" 644
`;

/**
 * Returns what reports the end of the bootstrapping: always in the file `/var/lib/stave/outcome`, `ready` or `step <name> failed`; with the
 * kind `heat` also once per outcome by a signal of Heat's wait condition, whose token is in a file and in no command line.
 */
export function readiness(node: string, signal: ReadinessSignal): MachinePart {
  const config = `${secretsDirectory}/signal.curl`;
  const report: MachineFile = {
    path: `${libDirectory}/report`,
    content: script(reportBody, { node, state: stateDirectory, signal: config }),
    mode: 0o755,
  };
  return { files: signal.kind === 'heat' ? [report, heatSignal(config, signal)] : [report] };
}

function heatSignal(path: string, { endpoint, token }: { endpoint: string; token: string }): MachineFile {
  const lines = [
    'request = "POST"',
    `header = "X-Auth-Token: ${token}"`,
    'header = "Content-Type: application/json"',
    'header = "Accept: application/json"',
    `url = "${endpoint}"`,
  ];
  return { path, content: `${lines.join('\n')}\n`, mode: 0o600 };
}
