#!/bin/bash
# Starts a Docker Engine when none answers, and prints the DOCKER_HOST to use.
#
#   scripts/start-docker.sh [state directory]
#
# Needs root, unless an engine already answers. Installs missing programs (dockerd, iptables, a static busybox for the node
# image) with apt-get, unless STAVE_NO_INSTALL=1 is set.
set -euo pipefail

host=${DOCKER_HOST:-unix:///var/run/docker.sock}
state=${1:-/var/tmp/stave-docker}

fail() {
  echo "start-docker: $*" >&2
  exit 1
}

case $host in
  unix://*) socket=${host#unix://} ;;
  *) fail "DOCKER_HOST=$host is not a unix socket; start that engine on its own host" ;;
esac

answers() {
  [ "$(curl --fail --silent --max-time 2 --unix-socket "$socket" http://engine/_ping 2>/dev/null)" = OK ]
}

install_missing() {
  local missing=()
  PATH=$PATH:/usr/sbin command -v dockerd >/dev/null || missing+=(docker.io)
  PATH=$PATH:/usr/sbin command -v iptables >/dev/null || missing+=(iptables)
  command -v busybox >/dev/null || missing+=(busybox-static)
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "${STAVE_NO_INSTALL:-}" != 1 ] || fail "missing: ${missing[*]}; install them, or unset STAVE_NO_INSTALL"
  command -v apt-get >/dev/null || fail "missing: ${missing[*]}, and there is no apt-get; install them manually"
  echo "start-docker: installing ${missing[*]}" >&2
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# A pid file of a dead process or a zombie makes dockerd wait 15 s for that process, and then fail.
drop_stale_pid_file() {
  local file=/var/run/docker/containerd/containerd.pid
  [ -f "$file" ] || return 0
  grep -qE '^State:\s+[RSD]' "/proc/$(cat "$file")/status" 2>/dev/null || rm -f "$file"
}

mount_cgroups() {
  grep -q ' /sys/fs/cgroup' /proc/self/mountinfo && return 0
  if command -v cgroupfs-mount >/dev/null; then cgroupfs-mount; else mount -t cgroup2 none /sys/fs/cgroup; fi
}

# The engine outlives the caller, so it must not keep the caller's pipes and locks open.
start_engine() {
  local fd
  for fd in /proc/self/fd/*; do
    fd=${fd##*/}
    if [ "$fd" -gt 2 ]; then exec {fd}>&-; fi
  done
  PATH=$PATH:/usr/sbin exec setsid nohup dockerd --data-root "$state/data" --host "$host" >"$state/log" 2>&1 </dev/null
}

if answers && command -v busybox >/dev/null; then
  echo "$host"
  exit 0
fi
[ "$(id -u)" = 0 ] || fail "no engine answers on $host, and only root can start one"
install_missing
if answers; then
  echo "$host"
  exit 0
fi

mount_cgroups
drop_stale_pid_file
mkdir -p "$state" "$(dirname "$socket")"
start_engine &
for _ in $(seq 300); do
  if answers; then
    echo "$host"
    exit 0
  fi
  sleep 0.1
done
tail -n 20 "$state/log" >&2
fail "the engine did not answer within 30 s; its log is $state/log"
