#!/bin/sh
# Gets or builds the image of nodes, and does nothing where it is there already. REPLACE this: the driver in memory needs no image.
set -eu

echo "the nodes of this driver need no image"
