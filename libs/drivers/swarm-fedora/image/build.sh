#!/bin/bash
# Gets the image of nodes, and registers it in Glance with `--register`; prints its path, or its id there. Does nothing where it is there.
# @stave/heat/image/get-image.sh says what it needs, and which environment it reads.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
heat=$(cd "$here" && node -p "require('path').dirname(require.resolve('@stave/heat/package.json'))")
exec "$heat/image/get-image.sh" fedora \
  https://download.fedoraproject.org/pub/fedora/linux/releases/42/Cloud/x86_64/images/Fedora-Cloud-Base-Generic-42-1.1.x86_64.qcow2 \
  https://download.fedoraproject.org/pub/fedora/linux/releases/42/Cloud/x86_64/images/Fedora-Cloud-42-1.1-x86_64-CHECKSUM "$@"
