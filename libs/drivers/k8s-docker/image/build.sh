#!/bin/bash
# Builds the image of nodes, or gets it: compiles the programs of Kubernetes, takes the rest from Debian's packages, and loads the result into
# the engine of this machine. What was built once is kept in the cache, so that the next build takes seconds.
#
#   image/build.sh               the image is there at the end
#   image/build.sh --check       says whether it is there or would be at once, without building; exits with 3 when the cache is cold
#
# Needs docker, go, mmdebstrap, and the proxies of Go modules and of Debian's packages. Environment:
#   K8S_DOCKER_NODE_IMAGE        the name of the image (stave/kubernetes-node:1.34.2)
#   K8S_DOCKER_SOURCES           the version that is compiled: 1.34.2, or 1.33.5 for tests of upgrades
#   K8S_DOCKER_VERSION_STAMP     for tests of upgrades: the same sources, which call themselves this version
#   STAVE_CACHE                  the directory of the cache (~/.cache/stave)
set -euo pipefail
export PATH=$PATH:/usr/local/go/bin:/usr/sbin:/sbin

here=$(cd "$(dirname "$0")" && pwd)
fail() {
  echo "build: $*" >&2
  exit 1
}

sources=${K8S_DOCKER_SOURCES:-1.34.2}
version=${K8S_DOCKER_VERSION_STAMP:-$sources}
# the versions that kubeadm of these sources asks for; etcd and CoreDNS are compiled from the same sources for all
case $sources in
1.34.2) etcd_version=3.6.5-0 coredns_version=1.12.1 pause_version=3.10.1 ;;
1.33.5) etcd_version=3.5.21-0 coredns_version=1.12.0 pause_version=3.10 ;;
*) fail "there are no sources of Kubernetes $sources" ;;
esac
image=${K8S_DOCKER_NODE_IMAGE:-stave/kubernetes-node:$version}
repository=stave.local/kubernetes
cache=${STAVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stave}/kubernetes
packages=systemd,systemd-sysv,dbus,containerd,runc,containernetworking-plugins,iptables,nftables,conntrack,iproute2,kmod,procps,mount
packages+=,curl,openssl,ca-certificates,socat,ethtool

# hash_of <text> [file or directory...]: of the text and the contents.
hash_of() {
  local text=$1
  shift
  { echo "$text"; [ $# = 0 ] || find "$@" -type f ! -name '*.md' -print0 | sort -z | xargs -0 cat; } | sha256sum | cut -c1-16
}

programs=$cache/programs-$(hash_of "$sources $version" "$here/programs")
debian=$cache/debian-$(hash_of "$packages").tar
recipe=$(hash_of "$(basename "$programs") $(basename "$debian") $etcd_version $coredns_version $pause_version" "$here")

is_built() {
  [ "$(docker image inspect --format '{{index .Config.Labels "stave.recipe"}}' "$image" 2>/dev/null)" = "$recipe" ]
}

# compile <folder of a module> <program...>: with few processes at a time, because each may need a gigabyte of memory.
compile() (
  local folder=$1 package flags=(-s -w)
  shift
  cd "$folder"
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    flags+=(-X "$package.gitVersion=v$version" -X "$package.gitMajor=${version%%.*}" -X "$package.gitMinor=$(cut -d. -f2 <<<"$version")")
    flags+=(-X "$package.gitTreeState=archive" -X "$package.buildDate=1970-01-01T00:00:00Z")
  done
  CGO_ENABLED=0 GOFLAGS='-mod=readonly -buildvcs=false -p=2' nice -n 10 go build -trimpath -ldflags "${flags[*]}" -o "$programs.tmp/" "$@"
)

compile_programs() {
  [ ! -d "$programs" ] || return 0
  command -v go >/dev/null || fail 'go is missing'
  echo 'build: compiling Kubernetes, which takes a quarter of an hour on two cores' >&2
  mkdir -p "$programs.tmp"
  # a former minor version replaces some of the files
  local kubernetes=$programs.sources
  rm -rf "$kubernetes"
  cp -R "$here/programs/kubernetes" "$kubernetes"
  if [ -d "$here/programs/kubernetes-${sources%.*}" ]; then cp "$here/programs/kubernetes-${sources%.*}"/* "$kubernetes"; fi
  compile "$kubernetes" . ./etcd ./pause
  compile "$here/programs/coredns" .
  compile "$here/programs/crictl" sigs.k8s.io/cri-tools/cmd/crictl
  rm -rf "$kubernetes"
  mv "$programs.tmp" "$programs"
}

install_packages() {
  [ ! -e "$debian" ] || return 0
  command -v mmdebstrap >/dev/null || fail 'mmdebstrap is missing (Debian: mmdebstrap)'
  echo "build: installing Debian's packages" >&2
  local without=(doc man locale info) options=() folder
  for folder in "${without[@]}"; do options+=("--dpkgopt=path-exclude=/usr/share/$folder/*"); done
  mmdebstrap --quiet --variant=minbase --include="$packages" "${options[@]}" bookworm "${debian%.tar}.tmp.tar"
  mv "${debian%.tar}.tmp.tar" "$debian"
}

if is_built; then
  echo "$image"
  exit 0
fi
if [ "${1:-}" = --check ]; then
  if [ -d "$programs" ] && [ -e "$debian" ]; then exit 0; fi
  echo "the cache of $here/build.sh is cold" >&2
  exit 3
fi

mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
is_built || {
  compile_programs
  install_packages
  work=$(mktemp -d "$cache/work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  # shellcheck source=rootfs.sh
  . "$here/rootfs.sh"
  make_root "$work/root"
  make_images "$work" "$work/root/opt/stave/images.tar"
  tar --directory "$work/root" --create . | docker import \
    --change 'ENTRYPOINT ["/usr/local/sbin/node-init"]' --change 'ENV container=docker' \
    --change "LABEL stave.recipe=$recipe" --change "LABEL stave.kubernetes=$version" - "$image" >/dev/null
}
echo "$image"
