#!/bin/sh
# regime-gate.sh - asks regimed whether a serving deployment may roll out.
#
#   regime-gate.sh FILE               a manifest (.yaml, .yml), a request (.json) or a command line
#   regime-gate.sh BASELINE FILE      two requests (.json): is the second a regression?
#
# The verdict goes to standard output. Exit status: 0 it may, 1 it may not (or nobody can tell: see
# REGIME_UNKNOWN), 2 the question is faulty, 3 regimed gave no answer.
#
#   REGIME_URL      http://127.0.0.1:8080
#   REGIME_QUERY    what a manifest or a command does not say: "concurrency=64&input_tokens=2048&
#                   output_tokens=256&ttft_ms=500&tpot_ms=30"; with requests it stays empty
#   REGIME_FORMAT   text (default), junit, github, gitlab, json
#   REGIME_UNKNOWN  fail (default) or pass: what an unknown verdict counts as
#   REGIME_TOLERANCE  0.05: a comparison's figures may be worse by this share
set -u

url=${REGIME_URL:-http://127.0.0.1:8080}
query="gate=1&unknown=${REGIME_UNKNOWN:-fail}&format=${REGIME_FORMAT:-text}${REGIME_QUERY:+&$REGIME_QUERY}"

usage()
{
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

# ask TARGET TYPE FILE: the body goes to standard output, the status becomes the exit status.
ask()
{
    target=$1 type=$2 file=$3
    reply=$(mktemp) || exit 3
    trap 'rm -f "$reply"' EXIT
    status=$(curl --silent --show-error --max-time 30 --header "Content-Type: $type" \
        --data-binary "@$file" --output "$reply" --write-out '%{http_code}' "$url$target?$query") || exit 3
    cat "$reply"
    case $status in
    200) exit 0 ;;
    409) exit 1 ;;
    4??) exit 2 ;;
    *) exit 3 ;;
    esac
}

readable()
{
    [ -r "$1" ] || {
        echo "regime-gate.sh: $1 cannot be read" >&2
        exit 2
    }
}

case $# in
1)
    readable "$1"
    case $1 in
    *.yaml | *.yml) ask /v1/check application/yaml "$1" ;;
    *.json) ask /v1/check application/json "$1" ;;
    *) ask /v1/check text/plain "$1" ;;
    esac
    ;;
2)
    readable "$1"
    readable "$2"
    query="$query&tolerance=${REGIME_TOLERANCE:-0.05}"
    both=$(mktemp) || exit 3
    { printf '{"baseline":' && cat "$1" && printf ',"candidate":' && cat "$2" && printf '}'; } >"$both"
    (ask /v1/compare application/json "$both")
    status=$?
    rm -f "$both"
    exit "$status"
    ;;
*) usage ;;
esac
