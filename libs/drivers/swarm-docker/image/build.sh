#!/bin/bash
# Makes the image of nodes on the engine of DOCKER_HOST from this machine's engine, as the driver does, and prints its name. Does nothing
# where it is there.
#
#   image/build.sh             the image is there at the end
#   image/build.sh --recipe    prints the value of its label stave.recipe, which follows from the files
#
# Needs docker, and Debian's docker.io, iptables and busybox-static. Environment:
#   SWARM_DOCKER_NODE_IMAGE    the name of the image (stave/swarm-node:1)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
image=${SWARM_DOCKER_NODE_IMAGE:-stave/swarm-node:1}
changes=('ENTRYPOINT ["/usr/bin/docker-init","--","/usr/sbin/node-init"]' 'ENV PATH=/usr/sbin:/usr/bin')

recipe=$({ cat "$here/rootfs.sh" "$here/node-init.sh" && printf '%s\n%s' "${changes[@]}"; } | sha256sum | cut -c1-16)
if [ "${1:-}" = --recipe ]; then
  echo "$recipe"
  exit 0
fi

present=$(docker image inspect --format '{{index .Config.Labels "stave.recipe"}}' "$image" 2>/dev/null || true)
# an image without the label was built by the user and is used unchanged
if [ "$present" != "$recipe" ] && { [ -n "$present" ] || ! docker image inspect "$image" >/dev/null 2>&1; }; then
  "$here/rootfs.sh" | docker import --change "${changes[0]}" --change "${changes[1]}" --change "LABEL stave.recipe=$recipe" - "$image" >/dev/null
fi
echo "$image"
