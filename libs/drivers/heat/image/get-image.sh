#!/bin/bash
# Gets the image that an operating system offers for OpenStack, and registers it in Glance. The drivers on Heat call it from their image/build.sh.
#
#   get-image.sh <os_distro> <url> <checksums>                prints the path of the image, which is kept in the cache
#   get-image.sh <os_distro> <url> <checksums> --register     prints the id of the image in Glance, with the property os_distro
#
# <checksums> is the SHA-256 of what <url> names, or the address of a list of them. An image that is there is neither downloaded nor
# registered again. Needs curl, xz for an image that is compressed, and for --register the command `openstack`, which finds the cloud as the
# drivers do (OS_CLOUD, clouds.yaml, OS_*). Environment:
#   IMAGE_FILE         an image of your own instead of the download
#   IMAGE_URL          another address of the image, such as a mirror; then IMAGE_CHECKSUMS is needed, too
#   IMAGE_CHECKSUMS    its SHA-256, or the address of a list of them
#   IMAGE_NAME         the name in Glance (<os_distro>-<beginning of the SHA-256>)
#   STAVE_CACHE        the directory of the cache (~/.cache/stave)
set -euo pipefail
shopt -s inherit_errexit

fail() {
  echo "image: $*" >&2
  exit 1
}

[ $# -ge 3 ] || fail 'usage: get-image.sh <os_distro> <url> <checksums> [--register]'
os_distro=$1 url=${IMAGE_URL:-$2} checksums=${IMAGE_CHECKSUMS:-$3} action=${4:-}
[ -z "${IMAGE_URL:-}" ] || [ -n "${IMAGE_CHECKSUMS:-}" ] || fail 'IMAGE_URL needs IMAGE_CHECKSUMS'
[ -z "$action" ] || [ "$action" = --register ] || fail "unknown argument $action"
cache=${STAVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stave}/images

download() {
  curl -fsSL --retry 3 --connect-timeout 30 "$@" || fail "cannot download ${!#}"
}

sha256_of() {
  sha256sum "$1" | cut -d' ' -f1
}

# Prints the SHA-256 of the file that the url names: lists have it on the line of the file, before or after its name.
expected() {
  local list
  if [[ $checksums =~ ^[0-9a-fA-F]{64}$ ]]; then
    echo "${checksums,,}"
    return
  fi
  list=$(download "$checksums")
  grep -wF -- "${url##*/}" <<<"$list" | grep -oE '\b[0-9a-f]{64}\b' | head -n 1 || fail "$checksums has no SHA-256 of ${url##*/}"
}

partial=
# Prints the path of the image in the cache, by the SHA-256 of the download.
get() {
  local sum file
  sum=$(expected)
  file=$cache/$os_distro-${sum:0:16}.qcow2
  if [ ! -e "$file" ]; then
    mkdir -p "$cache"
    partial=$(mktemp "$cache/partial.XXXXXX")
    trap 'rm -f "$partial" "$partial.unpacked"' EXIT
    download -o "$partial" "$url"
    [ "$(sha256_of "$partial")" = "$sum" ] || fail "$url does not have the SHA-256 $sum"
    case $url in
    *.xz)
      xz -dc "$partial" >"$partial.unpacked"
      mv "$partial.unpacked" "$file"
      ;;
    *) mv "$partial" "$file" ;;
    esac
  fi
  echo "$file"
}

registered() {
  openstack image list --property "os_distro=$os_distro" --property "stave.sha256=$sum" --status active -f value -c ID </dev/null | head -n 1
}

register() {
  local file=$1 sum id marker
  sum=$(sha256_of "$file")
  id=$(registered)
  if [ -z "$id" ]; then
    # an upload that ends in the middle leaves an image that no driver would use, but that takes room
    marker=$(cat /proc/sys/kernel/random/uuid)
    id=$(openstack image create "${IMAGE_NAME:-$os_distro-${sum:0:12}}" --file "$file" --disk-format qcow2 --container-format bare \
      --property "os_distro=$os_distro" --property "stave.sha256=$sum" --property "stave.upload=$marker" -f value -c id </dev/null) || {
      openstack image list --property "stave.upload=$marker" -f value -c ID </dev/null | xargs -r openstack image delete
      fail 'the image was not registered'
    }
  fi
  echo "$id"
}

file=${IMAGE_FILE:-}
[ -n "$file" ] || file=$(get)
[ -r "$file" ] || fail "cannot read $file"
if [ "$action" = --register ]; then register "$file"; else echo "$file"; fi
