#!/bin/bash
# Gets the image of nodes, and registers it in Glance with `--register`; prints its path, or its id there. Does nothing where it is there.
# @stave/heat/image/get-image.sh says what it needs, and which environment it reads.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
heat=$(cd "$here" && node -p "require('path').dirname(require.resolve('@stave/heat/package.json'))")
exec "$heat/image/get-image.sh" ubuntu \
  https://cloud-images.ubuntu.com/releases/noble/release/ubuntu-24.04-server-cloudimg-amd64.img \
  https://cloud-images.ubuntu.com/releases/noble/release/SHA256SUMS "$@"
