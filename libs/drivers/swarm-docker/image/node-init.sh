#!/bin/sh
# The first process of a node below docker-init: makes the cgroup tree writable, limits /proc/meminfo to the node's memory, runs the engine.
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

# cgroup v2: a group that delegates controllers must not contain processes, so all processes move one level down.
delegate_cgroup2() {
  mkdir -p /sys/fs/cgroup/init
  for try in 1 2 3; do
    while read -r pid; do
      echo "$pid" >/sys/fs/cgroup/init/cgroup.procs 2>/dev/null || true
    done </sys/fs/cgroup/cgroup.procs
    if sed -e 's/ / +/g' -e 's/^/+/' /sys/fs/cgroup/cgroup.controllers >/sys/fs/cgroup/cgroup.subtree_control; then return 0; fi
    echo "node-init: cgroup delegation failed, try $try" >&2
  done
}

memory_limit_bytes() {
  cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max
}

# The engine and Swarm take a machine's size from /proc/meminfo, which shows the host's.
show_own_memory() {
  limit=$(memory_limit_bytes)
  case $limit in max | 9223372*) return 0 ;; esac
  awk -v limit="$((limit / 1024))" '
    /^MemTotal:/ { total = $2 < limit ? $2 : limit; printf "MemTotal: %d kB\n", total; next }
    /^(MemFree|MemAvailable):/ { printf "%s %d kB\n", $1, ($2 < total ? $2 : total); next }
    { print }' /proc/meminfo >/run/meminfo
  mount --bind /run/meminfo /proc/meminfo || true
}

# The engine listens in a directory of the machine that is not mounted in the node any more, so that no container of the node can mount
# it: the engine reaches it by the working directory of another process, which ends when the socket is complete (mode 660). The engine
# must not inherit that directory itself: a container could name it as its own working directory.
hide_engine_socket() {
  cd /stave
  rm -f d.sock
  umount -l /stave
  helper=$(
    until [ "$(stat -c %a d.sock 2>/dev/null)" = 660 ]; do sleep 0.05; done >/dev/null 2>&1 &
    echo $!
  )
  cd /
}

# The engine finds plug-ins by files with the addresses of their sockets.
name_plugins() {
  mkdir -p /etc/docker/plugins
  for plugin in ${STAVE_PLUGINS:-}; do
    echo "unix://${plugin#*=}" >"/etc/docker/plugins/${plugin%%=*}.spec"
  done
}

cgroups_writable || remount_cgroups
name_plugins
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then delegate_cgroup2; fi
mount --make-rshared / || true
show_own_memory
# Here are the sockets of containerd and of Swarm, which have the same power over the node as that of the engine.
mount --make-unbindable /run
rm -f /run/docker.pid /run/docker/containerd/containerd.pid
hide_engine_socket
exec dockerd --host="unix:///proc/$helper/cwd/d.sock" "$@"
