#!/bin/bash
# Writes the root file system of the node image as a tar archive to standard output: this machine's engine binaries, their libraries,
# and a static busybox. Nothing is downloaded.
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin

here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d "${TMPDIR:-/tmp}/stave-rootfs.XXXXXX")
trap 'rm -rf "$root"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

find_binary() {
  command -v "$1" || fail "$1 is not installed on this machine (Debian: docker.io, iptables, busybox-static)"
}

copy_libraries() {
  local library
  { ldd "$1" 2>/dev/null || true; } | { grep -oE '/[^ ]+\.so[^ ]*' || true; } | while read -r library; do
    [ -e "$root$library" ] || install -D -m 755 "$(readlink -f "$library")" "$root$library"
  done
}

# copy_binary <program> <place in the image>
copy_binary() {
  local file
  file=$(readlink -f "$(find_binary "$1")")
  install -D -m 755 "$file" "$root$2"
  copy_libraries "$file"
}

mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root"/{etc,proc,sys,dev,run,tmp,root,stave,var/lib/docker}
chmod 1777 "$root/tmp"
for directory in bin sbin lib lib64; do ln -s "usr/$directory" "$root/$directory"; done
ln -s /run "$root/var/run"

copy_binary busybox /usr/bin/busybox
"$root/usr/bin/busybox" true 2>/dev/null || fail 'busybox is not runnable'
for applet in $("$root/usr/bin/busybox" --list); do
  [ "$applet" = busybox ] || ln -sf busybox "$root/usr/bin/$applet"
done
for program in dockerd docker-proxy runc; do copy_binary "$program" "/usr/sbin/$program"; done
for program in containerd containerd-shim-runc-v2 docker-init; do copy_binary "$program" "/usr/bin/$program"; done

copy_binary xtables-nft-multi /usr/sbin/xtables-nft-multi
for tool in iptables ip6tables; do
  for name in "$tool" "$tool-save" "$tool-restore"; do ln -sf xtables-nft-multi "$root/usr/sbin/$name"; done
done
for extension in /usr/lib/*/xtables/*.so; do
  install -D -m 755 "$extension" "$root$extension"
  copy_libraries "$extension"
done
for library in /usr/lib/*/libnss_files.so.2 /usr/lib/*/libnss_dns.so.2; do
  [ ! -e "$library" ] || install -D -m 755 "$(readlink -f "$library")" "$root$library"
done

printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\ndocker:x:999:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
install -m 755 "$here/node-init.sh" "$root/usr/sbin/node-init"

tar -C "$root" -c .
