# packages.sh - sourced: installs Debian packages when they are missing.
# shellcheck shell=bash

# What a build of the daemon needs.
# shellcheck disable=SC2034
BUILD_PACKAGES=(gcc libc6-dev cmake ninja-build pkg-config libmicrohttpd-dev libgnutls28-dev libcjson-dev libsqlite3-dev libyaml-dev zlib1g-dev)

# What bundles the pages and tests them; where there is no Node.js of NODE_MIN or later.
# shellcheck disable=SC2034
WEB_PACKAGES=(nodejs npm)
NODE_MIN=18

# Says why on stderr and ends the script.
die()
{
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Whether a Node.js that can bundle the pages is there, with npm, whoever installed it.
has_node()
{
    command -v npm >/dev/null && [[ "$(node --version 2>/dev/null)" =~ ^v([0-9]+)\. ]] &&
        ((BASH_REMATCH[1] >= NODE_MIN))
}

# Installs those of the packages given that are not installed yet; as root, or through sudo.
install_packages()
{
    local package log missing=() sudo=()
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
        die "this script installs packages with apt-get (Debian 12); elsewhere install the like of: $*"
    for package in "$@"; do
        [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] ||
            missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    if ((EUID != 0)); then
        command -v sudo >/dev/null ||
            die "run this first, as root: apt-get install --no-install-recommends ${missing[*]}"
        sudo=(sudo)
    fi
    echo "installing: ${missing[*]}"
    log=$(mktemp)
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >"$log" 2>&1 || {
        cat "$log" >&2
        die "apt-get update failed: is the network up, and are the sources in /etc/apt right?"
    }
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Use-Pty=0 "${missing[@]}" >"$log" 2>&1 || {
        cat "$log" >&2
        die "apt-get could not install: ${missing[*]}"
    }
    rm -f "$log"
}

# unpack_packages FOLDER PACKAGE...: their files below FOLDER, once; nothing is installed, so that no
# service of theirs starts. Libraries they need are installed by install_packages.
unpack_packages()
{
    local folder=$1 package
    shift
    for package in "$@"; do
        [[ ! -e $folder/.unpacked-$package ]] || continue
        mkdir -p "$folder" &&
            (cd "$folder" && apt-get download -qq "$package" 2>/dev/null && dpkg-deb -x "$package"_*.deb .) ||
            die "apt-get could not download $package"
        rm -f "$folder/$package"_*.deb
        touch "$folder/.unpacked-$package"
    done
}
