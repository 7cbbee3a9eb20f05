#!/usr/bin/env bash
# proxies.sh - nginx and HAProxy by the files in deploy/, before three daemons on loopback.
#
#   tests/deploy/proxies.sh nginx|haproxy BUILD TOOLS      TOOLS holds usr/sbin/nginx and usr/sbin/haproxy
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PROXY=$1 BUILD=$2 TOOLS=$3
work=$(mktemp -d)
chmod 755 "$work" # nginx drops privileges where it is started as root
pids=()
declare -A port pid # of the daemons
cleanup()
{
    exec 3<&-
    kill "${pids[@]}" 2>/dev/null || true
    wait "${pids[@]}" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

fail()
{
    printf '%s: %s\n' "$PROXY" "$*"
    exit 1
}

# start_daemon NAME [FLAG...]: its log is $work/NAME.
start_daemon()
{
    local name=$1 i
    shift
    : >"$work/$name"
    "$BUILD/regimed" --listen 127.0.0.1:0 --access-log --log-format json "$@" 2>"$work/$name" &
    pids+=($!)
    pid[$name]=$!
    for ((i = 0; i < 100; i++)); do
        port[$name]=$(sed -n 's|.*listening on http://127.0.0.1:\([0-9]*\) .*|\1|p' "$work/$name")
        [[ -z ${port[$name]} ]] || break
        sleep 0.1
    done
    [[ -n ${port[$name]} ]] || fail "$(cat "$work/$name")"
}

free_port()
{
    /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# The example with this machine's ports; nothing else of it changes.
use_ports()
{
    sed -e "s/127\.0\.0\.1:8080/127.0.0.1:${port[writer]}/; s/127\.0\.0\.1:8081/127.0.0.1:${port[one]}/" \
        -e "s/127\.0\.0\.1:8082/127.0.0.1:${port[two]}/; s/listen 80;/listen 127.0.0.1:$at;/" \
        -e "/listen \[::\]:80;/d; s/bind :80$/bind 127.0.0.1:$at/; s/log stdout/log 127.0.0.1:9/" "$1"
}

start_nginx()
{
    local folder
    {
        echo "daemon off; pid $work/pid; error_log $work/error.log; events {} http { access_log off;"
        for folder in client_body proxy fastcgi uwsgi scgi; do
            echo "${folder}_temp_path $work/$folder;"
        done
        use_ports deploy/nginx/regime.conf
        echo "}"
    } >"$work/nginx.conf"
    "$TOOLS/usr/sbin/nginx" -t -q -e "$work/error.log" -c "$work/nginx.conf"
    "$TOOLS/usr/sbin/nginx" -e "$work/error.log" -c "$work/nginx.conf" &
    pids+=($!)
}

start_haproxy()
{
    use_ports deploy/haproxy/haproxy.cfg >"$work/haproxy.cfg"
    "$TOOLS/usr/sbin/haproxy" -c -q -f "$work/haproxy.cfg"
    "$TOOLS/usr/sbin/haproxy" -f "$work/haproxy.cfg" &
    pids+=($!)
}

# ask METHOD PATH ID [CURL ARGUMENT...]: the status; headers are in $work/headers, the body in $work/body.
ask()
{
    local method=$1 path=$2 id=$3
    shift 3
    curl -s -m 20 -X "$method" -D "$work/headers" -o "$work/body" -w '%{http_code}' "$@" \
        -H "X-Request-Id: $id" "http://127.0.0.1:$at$path"
}

has_header()
{
    grep -qi "^$1: $2" "$work/headers" || fail "no $1: $2 in $(cat "$work/headers" "$work/body")"
}

# answered ID NAME...: the log of one of the daemons has the request.
answered()
{
    local id=$1 i name
    shift
    for ((i = 0; i < 50; i++)); do
        for name; do
            ! grep -qF "\"request_id\":\"$id\"" "$work/$name" || return 0
        done
        sleep 0.1
    done
    return 1
}

# What OpenAPI says must have a token changes the store.
check_every_operation()
{
    local method path need id n=0 body
    curl -fsS "http://127.0.0.1:$at/openapi.json" | /usr/bin/python3 -c '
import json, sys
for path, operations in json.load(sys.stdin)["paths"].items():
    for method, operation in operations.items():
        writes = operation.get("security", [{}]) == [{"token": []}]
        print(method.upper(), path.replace("{id}", "x"), "writer" if writes else "readers")
' >"$work/operations"
    while read -r method path need; do
        [[ $path != /metrics ]] || continue
        id=op-$n
        n=$((n + 1))
        body=()
        [[ $method == GET ]] || body=(--json '{}')
        ask "$method" "$path" "$id" "${body[@]}" >/dev/null
        if [[ $need == writer ]]; then
            answered "$id" writer || fail "$method $path did not reach the writer"
        else
            answered "$id" one two || fail "$method $path did not reach a reader"
        fi
    done <"$work/operations"
    ((n > 40)) && grep -q writer "$work/operations" || fail "only $n operations"
    [[ $(ask GET /v1/models fresh -H 'X-Regime-Store: writer') == 200 ]] && answered fresh writer || fail "fresh"
}

check_headers()
{
    local trace=4bf92f3577b34da6a3ce929d0e0e4736
    [[ $(ask GET /v1 r-1 -H "traceparent: 00-$trace-00f067aa0ba902b7-01") == 200 ]] || fail "/v1"
    has_header X-Request-Id r-1
    answered r-1 one two && grep -hF '"request_id":"r-1"' "$work/one" "$work/two" | grep -q "$trace" || fail "no trace"
    curl -s -D "$work/headers" -o /dev/null "http://127.0.0.1:$at/v1"
    has_header X-Request-Id '[0-9a-f-]'
    # the daemon's own refusal passes with its Retry-After
    ask POST /v1/disputes t-1 -H 'Authorization: Bearer none' >/dev/null
    [[ $(ask POST /v1/disputes t-2 -H 'Authorization: Bearer none') == 429 ]] || fail "no 429: $(cat "$work/body")"
    has_header Retry-After '[0-9]'
}

# A body that is too long is refused as a problem document, by the daemon or by what stands before it.
check_long_bodies()
{
    local bytes
    for bytes in 400000 2000000; do
        head -c "$bytes" /dev/zero | tr '\0' ' ' >"$work/long"
        [[ $(ask POST /v1/plan long --json "@$work/long") == 413 ]] || fail "$bytes bytes: $(cat "$work/headers")"
        has_header Content-Type application/problem+json
    done
    # a profile may have 1 GB
    head -c 6000000 /dev/zero | tr '\0' ' ' >"$work/long"
    [[ $(ask POST /v1/attribute profile --json "@$work/long") != 413 ]] || fail "a profile is too long"
    answered profile one two || fail "a profile did not reach a reader"
    [[ $(ask POST /v1/attributions kept --json "@$work/long") == 401 ]] || fail "kept: $(cat "$work/headers")"
    answered kept writer || fail "a kept profile did not reach the writer"
}

# Connections to a daemon stay open when its clients have gone: the gauge counts more than its own.
check_kept_connections()
{
    local i open=0
    for ((i = 0; i < 10; i++)); do
        ask GET /healthz k >/dev/null
    done
    for i in ${port[one]} ${port[two]}; do
        open=$((open + $(curl -s "http://127.0.0.1:$i/metrics" | sed -n 's/^regime_http_connections //p') - 1))
    done
    ((open >= 1)) || fail "no connection is kept"
}

# The CPU time that the readers have used.
readers_time()
{
    cut -d ' ' -f 14,15 "/proc/${pid[one]}/stat" "/proc/${pid[two]}/stat"
}

# While a client has read one row and waits, the daemon comes to wait too, its reply incomplete: nobody
# buffers it.
check_streaming()
{
    local row before
    exec 3< <(curl -sN -m 60 "http://127.0.0.1:$at/v1/sweep?format=ndjson" -H 'X-Request-Id: stream' \
        --json '{"base": {"model": "llama-3.1-8b", "hardware": "h100-sxm"}, "columns": ["tpot_ms", "fits"],
            "axes": {"/workload/concurrency": {"from": 1, "to": 1000, "steps": 1000},
                     "/workload/input_tokens": {"from": 1, "to": 1000, "steps": 1000}}}')
    read -r row <&3
    [[ $row == *tpot_ms* ]] || fail "no row: $row"
    before=
    while [[ $before != "$(readers_time)" ]]; do
        before=$(readers_time)
        sleep 0.5
    done
    ! grep -qF '"request_id":"stream"' "$work/one" "$work/two" || fail "the sweep was buffered"
    exec 3<&-
}

lose()
{
    kill -9 "${pid[$1]}"
    wait "${pid[$1]}" 2>/dev/null || true
}

check_lost_daemons()
{
    local i
    lose one
    for ((i = 0; i < 6; i++)); do
        [[ $(ask POST /v1/plan lost-$i --json '{"model": "llama-3.1-8b", "hardware": "h100-sxm"}') == 200 ]] ||
            fail "a lost reader is seen: $(cat "$work/body")"
    done
    lose two
    [[ $(ask GET /v1 gone) == 503 ]] || fail "without readers: $(cat "$work/headers" "$work/body")"
    has_header Content-Type application/problem+json
    has_header Retry-After 2
    [[ $(ask GET /v1/models fresh-2 -H 'X-Regime-Store: writer') == 200 ]] || fail "the writer is gone too"
}

start_daemon writer --db "$work/regime.db" --auth-failure-rate 1
start_daemon one
start_daemon two
at=$(free_port)
"start_$PROXY"
for ((i = 0; i < 100; i++)); do
    ! curl -fs -o /dev/null "http://127.0.0.1:$at/readyz" || break
    sleep 0.1
done
((i < 100)) || fail "does not serve: $(cat "$work/error.log" 2>/dev/null)"
check_every_operation
check_headers
check_long_bodies
check_kept_connections
check_streaming
check_lost_daemons
