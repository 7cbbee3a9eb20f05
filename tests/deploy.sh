#!/usr/bin/env bash
# deploy.sh - what lies in deploy/, linted and run as far as one machine lets.
#
#   tests/deploy.sh BUILD [CHECK...]   all checks, or those named; BUILD holds regimed (build-release)
#   tests/deploy.sh --list             the names of the checks
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# shellcheck source=deploy/packages.sh
source deploy/packages.sh

CHECKS=(package systemd nginx haproxy monitoring kubernetes container)
# Daemons of others, unpacked from their Debian packages.
TOOLS=build-tools
# What systemd-analyze calls exposure, in tenths.
EXPOSURE_MAX=20

if [[ ${1:-} == --list ]]; then
    printf '%s\n' "${CHECKS[@]}"
    exit
fi
BUILD=$(cd "${1:-build-release}" && pwd) || exit 1
shift $(($# > 0))
work=$(mktemp -d)
pids=()
cleanup()
{
    ((${#pids[@]} == 0)) || kill "${pids[@]}" 2>/dev/null
    wait "${pids[@]}" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT

# wait_for COMMAND...: until it succeeds, ten seconds at most.
wait_for()
{
    local i
    for ((i = 0; i < 100; i++)); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    echo "in vain: $*"
    return 1
}

# start_daemon SOCKET: on the records of the program.
start_daemon()
{
    "$BUILD/regimed" --listen "unix:$1" 2>/dev/null &
    pids+=($!)
    wait_for "$BUILD/regimed" --healthcheck "unix:$1"
}

# The package, made once; what it holds lies in $work/tree.
make_package()
{
    [[ ! -d $work/tree ]] || return 0
    cpack --config "$BUILD/CPackConfig.cmake" -B "$work/package" >"$work/cpack.log" 2>&1 || {
        cat "$work/cpack.log"
        return 1
    }
    dpkg-deb -x "$work"/package/regimed_*.deb "$work/tree"
}

check_package()
{
    local tree=$work/tree
    make_package || return 1
    lintian --allow-root --fail-on error,warning "$work"/package/regimed_*.deb || return 1
    dpkg-deb -e "$work"/package/regimed_*.deb "$work/control"
    diff <(cd "$tree" && find etc -type f -printf '/%p\n') "$work/control/conffiles" || return 1
    zcat "$tree/usr/share/man/man1/regimed.1.gz" >"$work/regimed.1"
    [[ -z "$(man --warnings -l "$work/regimed.1" 2>&1 >/dev/null)" ]] || return 1
    # the packed program takes the packed settings, those in comments too, serves, and is backed up
    sed -e 's/^#\([a-z-]* =\)/\1/' -e '/^tls-\|^read-tokens/d' -e "s|/var/lib/regime|$work|" \
        "$tree/etc/regimed.conf" >"$work/regimed.conf"
    mkdir -p "$work/backups"
    PATH=$tree/usr/bin:$PATH
    regimed --config "$work/regimed.conf" --listen "unix:$work/socket" 2>"$work/packed.log" &
    pids+=($!)
    wait_for regimed --healthcheck "unix:$work/socket" || {
        cat "$work/packed.log"
        return 1
    }
    touch "$work/backups/regime-20000101T000000.000Z.db" "$work/backups/regime-20000102T000000.000Z.db"
    REGIME_DB=$work/regime.db REGIME_BACKUPS=$work/backups REGIME_BACKUPS_KEPT=2 \
        "$tree/usr/lib/regimed/regimed-backup" || return 1
    (cd "$work/backups" && [[ $(echo *) =~ ^regime-20000102T000000.000Z.db\ regime-20[0-9]{6}T[0-9]{6}.[0-9]{3}Z.db$ ]]) || {
        ls "$work/backups"
        return 1
    }
}

# Units name paths of the installed package: they are looked for where it is unpacked.
check_systemd()
{
    local unit units=()
    make_package || return 1
    mkdir -p "$work/units"
    for unit in "$work"/tree/usr/lib/systemd/system/*; do
        sed "s|^ExecStart=|ExecStart=$work/tree|" "$unit" >"$work/units/$(basename "$unit")"
        units+=("$work/units/$(basename "$unit")")
    done
    systemd-analyze verify --man=no "${units[@]}" || return 1
    systemd-analyze security --offline=yes --no-pager --threshold="$EXPOSURE_MAX" \
        "$work"/tree/usr/lib/systemd/system/*.service | grep -E 'Overall|✗'
    ((PIPESTATUS[0] == 0)) || return 1
    systemd-sysusers --dry-run "$work/tree/usr/lib/sysusers.d/regimed.conf"
}

check_nginx()
{
    unpack_packages "$TOOLS" nginx && tests/deploy/proxies.sh nginx "$BUILD" "$TOOLS"
}

check_haproxy()
{
    unpack_packages "$TOOLS" haproxy && tests/deploy/proxies.sh haproxy "$BUILD" "$TOOLS"
}

# Rules against what they must say of made-up histories, and against what the daemon counts.
check_monitoring()
{
    local promtool=$TOOLS/usr/bin/promtool folder=$work/prometheus socket=$work/metrics route
    unpack_packages "$TOOLS" prometheus
    mkdir -p "$folder"
    cp deploy/prometheus/*.yml tests/deploy/alerts.test.yml "$folder"
    "$promtool" check config "$folder/scrape.yml" && "$promtool" check rules "$folder/regime-rules.yml" &&
        "$promtool" test rules "$folder/alerts.test.yml" || return 1
    start_daemon "$socket" || return 1
    for route in plan check compare; do # a route is counted once it is asked
        curl -s --unix-socket "$socket" -o /dev/null "http://localhost/v1/$route" --json '{}'
    done
    curl -s --unix-socket "$socket" http://localhost/metrics | /usr/bin/python3 tests/deploy/metrics.py \
        deploy/prometheus/regime-rules.yml tests/deploy/alerts.test.yml deploy/grafana/regime-service.json \
        deploy/README.md
}

# What kustomize renders, where kubectl has it; Helm's templates are only read.
check_kubernetes()
{
    local folder=deploy/kubernetes/kustomize variant rendered=()
    /usr/bin/python3 tests/deploy/kubernetes.py --chart deploy/kubernetes/helm/regime || return 1
    find "$folder" -name '*.y*ml' -exec /usr/bin/python3 -c '
import sys, yaml
for path in sys.argv[1:]:
    list(yaml.safe_load_all(open(path, encoding="utf-8")))' {} + || return 1
    kubectl kustomize --help >/dev/null 2>&1 || {
        echo "no kubectl: kustomize's files are parsed, not rendered"
        return 0
    }
    for variant in "$folder/base" "$folder"/overlays/*; do
        rendered+=("$work/$(basename "$variant").yaml")
        kubectl kustomize "$variant" >"$work/$(basename "$variant").yaml" || return 1
    done
    start_daemon "$work/routes" || return 1
    curl -s --unix-socket "$work/routes" -o "$work/openapi.json" http://localhost/openapi.json
    /usr/bin/python3 tests/deploy/kubernetes.py "$work/openapi.json" "${rendered[@]}"
}

# The image's files without an image: the step that collects them, and the program in them alone, as the
# image's user, its root read-only.
check_container()
{
    local out=$work/image
    /usr/bin/python3 tests/deploy/container.py deploy/container/Containerfile "$BUILD" "$PWD" "$out" >"$work/step.sh" &&
        bash -eu "$work/step.sh" || return 1
    find "$out" -type f | sed "s|^$out||" | sort
    [[ -z "$(find "$out" -perm -111 -type f -path '*/bin/*' ! -name regimed)" ]] || return 1
    ((EUID == 0)) || {
        echo "the files are collected; only root may run the program in them"
        return 0
    }
    # where the root is no mount of its own (chroot) it cannot be made private, and has been already
    unshare --mount --propagation unchanged bash -c '
        mount --make-rprivate / 2>/dev/null
        mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" || exit 1
        exec chroot --userspec=65532:65532 "$0" /usr/bin/regimed --listen 127.0.0.1:0' "$out" 2>"$work/image.log" &
    pids+=($!)
    wait_for grep -q listening "$work/image.log" || {
        cat "$work/image.log"
        return 1
    }
    curl -fsS -o /dev/null "$(sed -n 's|.*listening on \(http[^ ]*\) .*|\1|p' "$work/image.log")/readyz"
}

(($#)) || set -- "${CHECKS[@]}"
bad=0
for check; do
    began=$SECONDS
    if "check_$check" >"$work/$check.log" 2>&1; then
        printf 'deploy %-12s ok (%d s)\n' "$check" $((SECONDS - began))
    else
        cat "$work/$check.log"
        printf 'deploy %-12s FAILED\n' "$check"
        bad=1
    fi
done
exit "$bad"
