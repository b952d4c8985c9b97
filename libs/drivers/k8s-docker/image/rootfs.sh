# shellcheck shell=bash
# Functions of build.sh: the root file system of a node, and the images of containers that it brings. Nothing is downloaded.

kubernetes_programs=(kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubelet kubeadm kubectl pod-network)

# make_root <directory>
make_root() {
  local root=$1 name unit
  mkdir -p "$root"
  tar --directory "$root" --extract --file "$debian" --exclude='./dev/*'
  install -D --mode 755 "$programs/kubernetes" "$root/usr/local/bin/kubernetes"
  for name in kubelet kubeadm kubectl etcd-member; do ln -s kubernetes "$root/usr/local/bin/$name"; done
  install --mode 755 "$programs/crictl" "$root/usr/local/bin/crictl"
  install -D --mode 755 "$here/node-init.sh" "$root/usr/local/sbin/node-init"
  mkdir -p "$root/opt/cni/bin" "$root/opt/stave"
  for name in "$root"/usr/lib/cni/*; do ln -s "/usr/lib/cni/${name##*/}" "$root/opt/cni/bin/"; done
  configure_systemd "$root"
  rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*
}

# A node has the services of a machine that are its own, and no consoles, devices or clock.
configure_systemd() {
  local root=$1 units=$1/etc/systemd/system unit
  rm -f "$root"/usr/lib/systemd/system/multi-user.target.wants/* "$units"/*.wants/*
  for unit in systemd-logind.service systemd-udevd.service systemd-timesyncd.service systemd-resolved.service console-getty.service getty.target; do
    ln -sf /dev/null "$units/$unit"
  done
  ln -sf /usr/lib/systemd/system/multi-user.target "$units/default.target"
  install --mode 644 "$here/kubelet.service" "$here/node-images.service" "$units"
  install -D --mode 644 "$here/kubelet-kubeadm.conf" "$units/kubelet.service.d/10-kubeadm.conf"
  mkdir -p "$units/multi-user.target.wants"
  ln -s /usr/lib/systemd/system/containerd.service "$units/multi-user.target.wants/"
  for unit in node-images.service kubelet.service; do ln -s "/etc/systemd/system/$unit" "$units/multi-user.target.wants/"; done
  : >"$root/etc/machine-id"
}

# copy_program <root> <path in it> <directory>: the program, or an extension that programs load, with its libraries.
copy_program() {
  local root=$1 path=$2 target=$3 library
  install -D --mode 755 "$root/$(chroot "$root" readlink -f "$path")" "$target$path"
  { chroot "$root" ldd "$path" || true; } | grep -oE '/[^ ]+\.so[^ ]*' | while read -r library; do
    [ -e "$target$library" ] || install -D --mode 755 "$root$(chroot "$root" readlink -f "$library")" "$target$library"
  done
}

# layer_of_kubernetes <root> <directory>: what all images of Kubernetes' own programs have, once.
layer_of_kubernetes() {
  local root=$1 layer=$2 name extension
  mkdir -p "$layer"/usr/{bin,sbin,lib,lib64,local/bin} "$layer"/{tmp,run,etc}
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$layer/$name"; done
  install --mode 755 "$programs/kubernetes" "$layer/usr/local/bin/kubernetes"
  for name in "${kubernetes_programs[@]}"; do ln -s kubernetes "$layer/usr/local/bin/$name"; done
  for name in /usr/sbin/xtables-nft-multi /usr/sbin/nft /usr/sbin/conntrack; do copy_program "$root" "$name" "$layer"; done
  for name in iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore; do
    ln -s xtables-nft-multi "$layer/usr/sbin/$name"
  done
  # a rule for a Service with several endpoints needs the extension `statistic`, and that one a library which no program here has
  for extension in "$root"/usr/lib/*/xtables/*.so; do copy_program "$root" "${extension#"$root"}" "$layer"; done
  check_extensions "$layer"
}

# check_extensions <layer>: fails where iptables cannot load an extension, which kube-proxy would only notice in some clusters.
check_extensions() {
  local layer=$1 extension loaders
  loaders=("$layer"/lib64/ld-linux-*.so.* "$layer"/lib/ld-linux-*.so.*)
  for extension in "$layer"/usr/lib/*/xtables/*.so; do
    chroot "$layer" "$(first_of "${loaders[@]}" | sed "s|^$layer||")" --list "${extension#"$layer"}" >/dev/null ||
      fail "${extension##*/} cannot be loaded in the image of kube-proxy"
  done
}

# first_of <path...>: the first one that exists.
first_of() {
  local path
  for path in "$@"; do
    [ ! -e "$path" ] || { echo "$path" && return 0; }
  done
  return 1
}

# add_image <layer directory> <user> <entry point or nothing> <name...>: adds an image with one layer to those in $images; JSON lists are kept in files beside it.
add_image() {
  local layer=$1 user=$2 entry=${3:+\"$3\"} sum names
  shift 3
  tar --directory "$layer" --create --sort=name --mtime=@0 --owner=0 --group=0 --file "$images/layer.tar" .
  sum=$(sha256sum "$images/layer.tar" | cut -d' ' -f1)
  mv "$images/layer.tar" "$images/$sum.tar"
  printf '{"architecture":"%s","os":"linux","config":{"User":"%s","Entrypoint":[%s],"Env":["PATH=/usr/local/bin:/usr/sbin:/usr/bin"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$(dpkg --print-architecture)" "$user" "$entry" "$sum" >"$images/$sum.json"
  names=$(printf ',"%s"' "$@")
  printf ',{"Config":"%s.json","RepoTags":[%s],"Layers":["%s.tar"]}' "$sum" "${names:1}" "$sum" >>"$images/entries"
}

# make_images <work directory> <archive>
make_images() {
  local work=$1 archive=$2 name names=() root=$1/root
  images=$work/images
  mkdir -p "$images"
  for name in kube-apiserver kube-controller-manager kube-scheduler kube-proxy pod-network; do names+=("$repository/$name:v$version"); done
  # what runs on each node has the version of its node, by a name that all versions share
  for name in kube-proxy pod-network; do names+=("$repository/$name:node"); done
  layer_of_kubernetes "$root" "$work/kubernetes"
  add_image "$work/kubernetes" '' '' "${names[@]}"
  for name in etcd coredns; do install -D --mode 755 "$programs/$name" "$work/$name/usr/local/bin/$name"; done
  mkdir -p "$work/etcd/tmp"
  add_image "$work/etcd" '' '' "$repository/etcd:$etcd_version"
  ln -s usr/local/bin/coredns "$work/coredns/coredns"
  install -D --mode 644 "$root/etc/ssl/certs/ca-certificates.crt" "$work/coredns/etc/ssl/certs/ca-certificates.crt"
  add_image "$work/coredns" '' /coredns "$repository/coredns:v$coredns_version" "$repository/coredns:node"
  install -D --mode 755 "$programs/pause" "$work/pause/pause"
  # the container runtime names its own version of this image
  name=$(chroot "$root" containerd config default | sed -n 's/.*sandbox_image = "\(.*\)"/\1/p')
  add_image "$work/pause" 65535:65535 /pause "$repository/pause:$pause_version" "$repository/pause:node" "$name"
  printf '[%s]' "$(cut -c2- "$images/entries")" >"$images/manifest.json"
  rm "$images/entries"
  tar --directory "$images" --create --file "$archive" .
}
