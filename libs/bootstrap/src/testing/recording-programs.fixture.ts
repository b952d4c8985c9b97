/** What every program does first. */
export const recording = `
echo "$*" >>"$ROOT/calls"
shift
point() {
  local count=$(($(cat "$ROOT/points" 2>/dev/null || echo 0) + 1))
  echo "$count" >"$ROOT/points"
  [ "$count" != "$KILL_AT" ] || { touch "$ROOT/killed"; kill -KILL 0; }
}
has() { case " $args " in *" $1 "*) ;; *) return 1 ;; esac; }
args=$*
world=$ROOT/world
`;

const nothing = ':';

/**
 * The programs of a folder machine, by path: each records its call and changes files below `world`; they refuse what the real ones refuse.
 * `point` is a point, before or after an effect, at which a run can be killed.
 */
export const programs: Readonly<Record<string, string>> = {
  '/bin/sleep': nothing,
  '/bin/modprobe': nothing,
  '/bin/sysctl': nothing,
  '/bin/swapoff': nothing,
  '/bin/apt-mark': nothing,
  '/bin/dpkg': nothing,
  '/bin/update-ca-certificates': nothing,
  '/bin/update-ca-trust': nothing,
  '/bin/install': 'for last; do :; done; mkdir -p "$last"; point',
  '/bin/hostnamectl': 'echo "$2" >/proc/sys/kernel/hostname; point',
  '/bin/ip': 'echo "192.0.2.1 via 10.0.0.1 dev eth0 src 10.0.0.7 uid 0"',
  '/bin/dpkg-query': 'for last; do :; done; cat "$world/package-$last"',
  '/bin/apt-get': `
[ ! -e "$world/apt-fails" ] || exit 100
has install || exit 0
point
for word; do
  case $word in
    -* | install | DPkg::* | Dpkg::*) ;;
    *=*) version=\${word#*=}; echo "installed \${version%-\\*}-1.1" >"$world/package-\${word%%=*}" ;;
    *) echo "installed 1.0-1" >"$world/package-$word" ;;
  esac
done
point
`,
  '/bin/systemctl': `
for last; do :; done
case $1 in
  is-active) [ -e "$world/active-$last" ] ;;
  restart) point; touch "$world/active-$last"; point ;;
esac
`,
  '/bin/docker': `
[ -e "$world/active-docker.service" ] || exit 1
case "$1 $2" in
  'info --format') cat "$world/swarm" 2>/dev/null || echo inactive ;;
  'swarm leave') rm -f "$world/swarm"; point ;;
esac
`,
  '/bin/curl': `
case $args in
  *--unix-socket*)
    [ ! -e "$world/swarm" ] || exit 22
    cat >"$world/swarm-request"
    point; echo pending >"$world/swarm"; point
    echo active >"$world/swarm"; point ;;
  *:10.0.0.5:*) exit 7 ;;
  *https://*/swarm) echo '{"JoinTokens":{"Worker":"SWMTKN-1-aaaabbbbccccdddd-eeeeffff0000","Manager":"SWMTKN-1-aaaabbbbccccdddd-gggg"}}' ;;
  *--config*) point; cat >>"$world/signals"; point ;;
  *metrics/snapshot*) echo '{"slave/registered":1.0}' ;;
  *master/slaves*) echo '{"slaves":[]}' ;;
esac
`,
  '/bin/crictl': '[ -e "$world/active-containerd.service" ]',
  '/bin/kubeadm': `
case "$1 $2" in
  'init phase') [ -e "$world/cluster-info" ] ;;
  'init --config' | 'join --config')
    [ ! -e /etc/kubernetes/kubelet.conf ] && [ ! -e /etc/kubernetes/manifests/etcd.yaml ] || { echo 'preflight: files exist' >&2; exit 1; }
    [ -e "$3" ] || exit 1
    point
    mkdir -p /etc/kubernetes/manifests /etc/kubernetes/pki
    [ "$1" = join ] || touch /etc/kubernetes/manifests/etcd.yaml; point
    [ "$1" = join ] || touch /etc/kubernetes/admin.conf; point
    touch /etc/kubernetes/kubelet.conf; point
    [ "$1" = join ] || touch "$world/cluster-info"; point ;;
  'reset --force')
    [ ! -e "$world/cluster-info" ] || touch "$world/cluster-was-lost"
    rm -rf /etc/kubernetes/manifests /etc/kubernetes/pki /etc/kubernetes/admin.conf; point
    rm -f /etc/kubernetes/kubelet.conf; point ;;
esac
`,
  '/bin/kubectl': `
case $args in
  *cluster-info*) [ -e "$world/cluster-info" ] ;;
  *metadata.name*) [ -e /etc/kubernetes/kubelet.conf ] && echo -n node-1 ;;
  *'get node'*) [ -e /etc/kubernetes/kubelet.conf ] && echo -n True ;;
  apply*) cat "$5" >>"$world/applied"; point ;;
esac
`,
  '/usr/share/zookeeper/bin/zkServer.sh': '[ -e "$world/active-stave-zookeeper.service" ] && echo "Mode: leader"',
};
