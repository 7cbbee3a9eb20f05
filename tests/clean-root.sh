#!/usr/bin/env bash
# clean-root.sh - proves the README's two commands in a new Debian 12 with nothing else in it.
#
#   tests/clean-root.sh [DIRECTORY]     as root, with debootstrap and git; needs about 3 GB
#
# Makes a minimal bookworm root in DIRECTORY (a new temporary one, removed at the end, by default)
# from the Debian mirror and proxy that this host's apt uses, clones the last commit into it under a
# path with a space, and runs deploy/quickstart.sh and tests/run.sh there, in namespaces of their
# own: no process and no mount of it outlives the script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=deploy/packages.sh
source deploy/packages.sh

((EUID == 0)) || die "debootstrap and chroot need root"
install_packages debootstrap git util-linux

if (($#)); then
    root=$1
    mkdir -p "$root"
else
    root=$(mktemp -d)
    trap 'rm -rf --one-file-system "$root"' EXIT
fi

# "URI CODENAME COMPONENT" of every Debian 12 index that this host's apt knows.
# shellcheck disable=SC2016
sources=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME) $(COMPONENT)' \
    'Created-By: Packages' | awk '$1 == "Debian" && $3 ~ /^bookworm/ && $4 == "main" { print $2, $3, $4 }' | sort -u)
mirror=$(awk '$2 == "bookworm" { print $1; exit }' <<<"$sources")
[[ -n $mirror ]] || die "this host's apt knows no Debian 12 (bookworm) mirror; run apt-get update first"

if [[ ! -e $root/etc/debian_version ]]; then
    echo "== debootstrap"
    debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || {
        tail -n 20 "$root.log" >&2
        die "debootstrap failed"
    }
    rm -f "$root.log"
fi
sed 's/^/deb /' <<<"$sources" >"$root/etc/apt/sources.list"
apt-config dump | grep -E '^Acquire::https?::(Proxy|Verify)' >"$root/etc/apt/apt.conf.d/90host" || true
cp /etc/resolv.conf "$root/etc/resolv.conf"
rm -rf "$root/srv/a clone"
git clone -q --no-hardlinks . "$root/srv/a clone"
printf 'commit %s\n' "$(git -C "$root/srv/a clone" rev-parse --short HEAD)"

# inside COMMAND...: in the root, without the caller's environment and standard input.
inside()
{
    local began=$SECONDS status=0
    printf '\n== %s\n' "$*"
    unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" \
        chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CI=true \
        bash -c 'cd "/srv/a clone" && "$@"; s=$?; kill "$(cat build/regimed.pid)" 2>/dev/null; exit $s' \
        bash "$@" </dev/null || status=$?
    printf '== %s: exit %d, %d s\n' "$*" "$status" $((SECONDS - began))
    return "$status"
}

inside ./deploy/quickstart.sh
inside ./tests/run.sh
echo "both commands work in a clean root"
