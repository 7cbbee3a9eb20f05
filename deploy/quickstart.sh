#!/usr/bin/env bash
# quickstart.sh - from a fresh Debian 12 to a first plan: packages, build, daemon, one question.
#
# As root or as a user with sudo. REGIME_LISTEN=HOST:PORT chooses the address; the default is
# 127.0.0.1:8080, or the next free port. Run it again at any time: it rebuilds and restarts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=deploy/packages.sh
source deploy/packages.sh

BUILD=build
PID_FILE=$BUILD/regimed.pid
LOG_FILE=$BUILD/regimed.log
QUESTION='/v1/plan?model=llama-3.1-8b&hardware=h100-sxm&concurrency=1&input_tokens=2048&format=text'

# True when PID runs our daemon, and not something else that got its number.
is_our_daemon()
{
    [[ "$1" =~ ^[0-9]+$ && "$(readlink "/proc/$1/exe" 2>/dev/null)" == "$PWD/$BUILD/regimed"* ]]
}

stop_old_daemon()
{
    local pid
    pid=$(cat "$PID_FILE" 2>/dev/null) || return 0
    if is_our_daemon "$pid"; then
        echo "stopping the daemon of an earlier run (process $pid)"
        kill "$pid"
        for ((i = 0; i < 100; i++)); do
            is_our_daemon "$pid" || break
            sleep 0.1
        done
        ! is_our_daemon "$pid" || die "process $pid does not stop; end it with: kill -9 $pid"
    fi
    rm -f "$PID_FILE"
}

port_is_taken()
{
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

choose_address()
{
    local port
    if [[ -n "${REGIME_LISTEN:-}" ]]; then
        echo "$REGIME_LISTEN"
        return
    fi
    for ((port = 8080; port < 8180; port++)); do
        port_is_taken "$port" || break
    done
    ((port < 8180)) || die "ports 8080 to 8179 are all taken; choose one with REGIME_LISTEN=127.0.0.1:PORT"
    echo "127.0.0.1:$port"
}

build()
{
    local log=$BUILD/quickstart-build.log
    mkdir -p "$BUILD"
    echo "building into $BUILD/ (about a minute)"
    {
        cmake -S . -B "$BUILD" -G Ninja -DCMAKE_BUILD_TYPE=Release -DREGIME_TESTS=OFF &&
            cmake --build "$BUILD" --target regimed
    } >"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        die "the build failed; the whole log is $log"
    }
}

# The pages with charts are bundled by Node.js; without it the daemon serves all but them.
install_node()
{
    has_node || (install_packages "${WEB_PACKAGES[@]}") || true
}

say_without_pages()
{
    ! grep -q 'the daemon is built without the pages' "$BUILD/quickstart-build.log" || {
        echo "the pages with charts are not in this build: it needs Node.js $NODE_MIN or later and the npm registry;"
        echo "everything else is (a plain page at /, the API); run this again to try once more"
    }
}

# start_daemon LISTEN ADDRESS: the second is where it is asked.
start_daemon()
{
    nohup "$PWD/$BUILD/regimed" --listen "$1" >"$LOG_FILE" 2>&1 </dev/null &
    local pid=$!
    echo "$pid" >"$PID_FILE"
    for ((i = 0; i < 100; i++)); do
        kill -0 "$pid" 2>/dev/null || break
        curl -fsS -o /dev/null "http://$2/readyz" 2>/dev/null && return 0
        sleep 0.1
    done
    tail -n 20 "$LOG_FILE" >&2
    kill "$pid" 2>/dev/null || true
    rm -f "$PID_FILE"
    die "the daemon did not become ready on $1; its log is $LOG_FILE"
}

install_packages "${BUILD_PACKAGES[@]}" curl
install_node
build
say_without_pages
stop_old_daemon
listen=$(choose_address)
[[ $listen == *:* && $listen != unix:* ]] || die "REGIME_LISTEN must be HOST:PORT or :PORT, not '$listen'"
address=${listen/#0.0.0.0:/127.0.0.1:}
address=${address/#:/127.0.0.1:}
start_daemon "$listen" "$address"

echo "asking: what limits Llama-3.1-8B on one H100, one user, 2,048 tokens in?"
echo
curl -fsS "http://$address$QUESTION" || die "the daemon is ready but did not answer; its log is $LOG_FILE"
echo
cat <<END
The daemon runs on http://$address (process $(cat "$PID_FILE"), log $LOG_FILE).
Ask again:  curl -s 'http://$address$QUESTION'
In JSON:    curl -s http://$address/v1/plan -H 'Content-Type: application/json' \\
              -d '{"model": "deepseek-v3", "hardware": "h200-sxm", "deployment": {"tp": 8}}'
A form:     open http://$address/ in a browser
Stop it:    kill $(cat "$PID_FILE")
END
