#!/usr/bin/env bash
# base-image.sh - a Debian 12 image from Debian's mirror, where no registry of images is reached.
#
#   deploy/container/base-image.sh [NAME]      as root; NAME is localhost/debian:12 by default
#   buildah build --build-arg BASE=localhost/debian:12 -f deploy/container/Containerfile -t regimed:0.1.0 .
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=deploy/packages.sh
source deploy/packages.sh

NAME=${1:-localhost/debian:12}
((EUID == 0)) || die "debootstrap needs root"
install_packages debootstrap buildah crun
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
# The mirror, the proxy and the certificates are those of this host's apt.
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "Debian" && $2 == "bookworm" { print $3; exit }')
[[ -n $mirror ]] || die "this host's apt knows no Debian 12 (bookworm) mirror; run apt-get update first"
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log" >&2
    die "debootstrap failed"
}
rm -f "$root.log" "$root"/var/cache/apt/archives/*.deb
echo "deb $mirror bookworm main" >"$root/etc/apt/sources.list"
apt-config dump | grep -E '^Acquire::https?::(Proxy|Verify)' >"$root/etc/apt/apt.conf.d/90host" || true
container=$(buildah from scratch)
buildah add -q "$container" "$root" /
buildah commit -q --rm "$container" "$NAME"
