import { configDirectory, libDirectory, secretsDirectory, stateDirectory } from './directories.js';
import type { BootstrapStep, MachineFile, MachinePart, MachineUnit } from './machine-configuration.js';
import { script } from '../shell/script.js';

/** What all scripts of a machine share. No function writes a secret to its output. */
export const functions = `# Functions of all scripts of Stave on this machine.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
if [ -e ${configDirectory}/proxy.env ]; then
  set -a
  # shellcheck source=/dev/null
  . ${configDirectory}/proxy.env
  set +a
fi

# wait_until <seconds> <command...>: waits until the command succeeds.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then
      echo "timed out: $1" >&2
      return 1
    fi
    sleep 2
  done
}

# replace_file <path> <mode>: replaces the file with standard input in one step, unless it has that content.
replace_file() {
  local new
  mkdir -p "$(dirname "$1")"
  new=$(mktemp "$1.XXXXXX")
  cat >"$new"
  chmod "$2" "$new"
  if cmp -s "$new" "$1"; then rm -f "$new"; else mv -f "$new" "$1"; fi
}

# restart_if_changed <unit> <file...>: restarts the unit when a file differs from that of its last restart, or when it does not run.
restart_if_changed() {
  local unit=$1 mark=${stateDirectory}/restarted-$1 sums
  shift
  sums=$(cat "$@" 2>/dev/null | sha256sum)
  if [ "$(cat "$mark" 2>/dev/null)" != "$sums" ] || ! systemctl is-active --quiet "$unit"; then
    systemctl daemon-reload
    systemctl enable --quiet "$unit"
    systemctl restart "$unit"
    echo "$sums" | replace_file "$mark" 644
  fi
}

# own_address [address]: the given address, else the one from which this machine reaches others.
own_address() {
  if [ -n "\${1:-}" ]; then
    echo "$1"
  else
    ip -oneline route get 192.0.2.1 | sed -n 's/.* src \\([0-9.]*\\).*/\\1/p'
  fi
}
`;

const runBody = `
exec 9>"$state/lock"
flock 9
run_steps() {
  local step
  for step in "$lib"/steps/*; do
    echo "step \${step##*/}"
    # what a step starts must not hold the lock
    "$step" 9>&- || { echo "\${step##*/}" >"$state/failed-step"; return 1; }
  done
}
for try in 1 2 3 4 5; do
  if run_steps; then
    rm -f "$state/failed-step"
    "$lib/report" SUCCESS
    rm -rf "$once"
    exit 0
  fi
  echo "step $(cat "$state/failed-step") failed, try $try of 5" >&2
  [ "$try" = 5 ] || sleep $((try * 10))
done
"$lib/report" FAILURE
exit 1
`;

const service = `[Unit]
Description=Makes this machine a node of its cluster
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStartPre=/usr/bin/mkdir -p ${stateDirectory}
ExecStart=${libDirectory}/bootstrap
TimeoutStartSec=infinity

[Install]
WantedBy=multi-user.target
`;

/** The unit that runs the steps at every boot. */
const bootstrapUnit = 'stave-bootstrap.service';

/** Returns the files and the unit that run the steps in their order, repeat them after failures and interruptions, and report the end. */
export function runner(steps: readonly BootstrapStep[]): MachinePart {
  const variables = { lib: libDirectory, state: stateDirectory, once: secretsDirectory };
  const files: MachineFile[] = [
    { path: `${libDirectory}/functions.sh`, content: functions, mode: 0o644 },
    { path: `${libDirectory}/bootstrap`, content: script(runBody, variables), mode: 0o755 },
    ...steps.map((step, index) => ({ path: stepPath(step, index), content: step.script, mode: 0o755 })),
  ];
  const units: MachineUnit[] = [{ name: bootstrapUnit, content: service, enabled: true }];
  return { files, units };
}

const stepPath = (step: BootstrapStep, index: number): string =>
  `${libDirectory}/steps/${String(index + 1).padStart(2, '0')}-${step.name}`;
