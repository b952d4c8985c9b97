#!/bin/bash
# Writes a root file system with a static busybox only, as a tar archive, to standard output.
set -euo pipefail

root=$(mktemp -d "${TMPDIR:-/tmp}/stave-busybox.XXXXXX")
trap 'rm -rf "$root"' EXIT

program=$(command -v busybox) || {
  echo 'busybox is not installed on this machine (Debian: busybox-static)' >&2
  exit 1
}
mkdir -p "$root"/{bin,etc,proc,sys,dev,tmp,root}
chmod 1777 "$root/tmp"
cp "$(readlink -f "$program")" "$root/bin/busybox"
for applet in $("$root/bin/busybox" --list); do
  [ "$applet" = busybox ] || ln -sf busybox "$root/bin/$applet"
done
printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
tar -C "$root" -c .
