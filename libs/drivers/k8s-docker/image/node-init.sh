#!/bin/bash
# The first program of a node, before systemd: makes the cgroup tree writable, and shows the node its own memory and settings of the
# kernel that it may change without changing those of the machine.
set -eu

cgroups_writable() {
  mkdir /sys/fs/cgroup/memory/.stave 2>/dev/null && rmdir /sys/fs/cgroup/memory/.stave
}

# Without --privileged, /sys and the cgroup mounts are read-only. Without `bind` the remount fails as busy.
remount_cgroups() {
  mount -o remount,bind,rw /sys 2>/dev/null || true
  grep -E ' - cgroup2? ' /proc/self/mountinfo | cut -d' ' -f5 | while read -r place; do
    mount -o remount,bind,rw "$place" || true
  done
}

memory_limit_bytes() {
  cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max
}

# The kubelet takes a machine's size from /proc/meminfo, which shows the host's.
show_own_memory() {
  local limit
  limit=$(memory_limit_bytes)
  case $limit in max | 9223372*) return 0 ;; esac
  awk -v limit="$((limit / 1024))" '
    /^MemTotal:/ { total = $2 < limit ? $2 : limit; printf "MemTotal:       %8d kB\n", total; next }
    /^(MemFree|MemAvailable):/ { printf "%-16s%8d kB\n", $1, ($2 < total ? $2 : total); next }
    /^Swap/ { printf "%-16s%8d kB\n", $1, 0; next }
    { print }' /proc/meminfo >/run/stave/meminfo
  mount --bind /run/stave/meminfo /proc/meminfo
}

# The kubelet writes these at its start. They are not part of any namespace: without the mounts it would change the machine's.
keep_kernel_settings() {
  local setting own
  for setting in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
    [ -e "/proc/sys/$setting" ] || continue
    own=/run/stave/${setting//\//-}
    cat "/proc/sys/$setting" >"$own"
    mount --bind "$own" "/proc/sys/$setting"
  done
}

# The kubelet watches the log of the kernel for processes that were killed, and that log is the machine's.
hide_kernel_log() {
  [ -e /dev/kmsg ] || ln -s /dev/null /dev/kmsg
}

cgroups_writable || remount_cgroups
mkdir -p /run/stave
show_own_memory
keep_kernel_settings
hide_kernel_log
mount --make-rshared /
exec /sbin/init "$@"
