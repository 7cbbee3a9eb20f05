#!/usr/bin/env bash
# readme.sh - the replies and the errors in README.md are those that the program gives.
#
#   tests/readme.sh [BUILD]            fails when they differ (BUILD holds regimed; build-release)
#   tests/readme.sh --update [BUILD]   puts what the program gives into README.md
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

UPDATE=false
if [[ "${1:-}" == --update ]]; then
    UPDATE=true
    shift
fi
BUILD=${1:-build-release}
work=$(mktemp -d)
pid=
cleanup()
{
    [[ -z $pid ]] || kill "$pid" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

"$BUILD/regimed" --listen "unix:$work/socket" >"$work/log" 2>&1 &
pid=$!
for ((i = 0; i < 100; i++)); do
    ! curl -fs --unix-socket "$work/socket" -o /dev/null http://localhost/readyz || break
    sleep 0.1
done
((i < 100)) || {
    cat "$work/log"
    exit 1
}

# The question is the curl line of README.md; the reply stands between the two marks.
target=$(sed -n "s|^curl -s 'http://127.0.0.1:8080\(/[^']*\)'.*|\1|p" README.md | head -n 1)
curl -fsS --unix-socket "$work/socket" -o "$work/reply" "http://localhost$target"
# A sweep and a search are the whole command that begins so, up to the end of its block.
for table in sweep search diagnose; do
    {
        echo "curl() { command curl --unix-socket '$work/socket' --fail-with-body \"\$@\"; }"
        awk -v begin="^curl -s .*/v1/$table" '$0 ~ begin { on = 1 } /^```/ { on = 0 } on' README.md
    } >"$work/$table.sh"
    bash "$work/$table.sh" >"$work/$table"
done
# The head of the errors of each set: from the line that names the columns to the first empty one.
for set in calibrated other local; do
    "$BUILD/regimed" backtest --set "$set" |
        awk '/^  figure/ && !n++ { on = 1 } !NF { on = 0 } on' >"$work/$set"
done
# Of memory: the figures asked of first, by engine and kind of model, and the verdicts.
"$BUILD/regimed" backtest --memory | awk '
    /^FIGURE/ { print; next }
    /^(KV tokens, given the cache|weights of a rank|KV tokens, from flags) / { on = 1; print; next }
    /^OUT OF MEMORY AT START/ { print ""; verdicts = 1 }
    !NF { on = verdicts = 0 }
    !verdicts && /^[a-zK]/ { on = 0 }
    on || verdicts' >"$work/memory"
awk -v work="$work" '
    function show(file) {
        inside = 1
        print "```"
        while ((getline line < (work "/" file)) > 0) print line
        print "```"
    }
    /^<!-- (reply ends|sweep ends|search ends|diagnose ends|(other |local |memory )?errors end) -->/ { inside = 0 }
    !inside { print }
    /^<!-- reply begins/ { show("reply") }
    /^<!-- sweep begins/ { show("sweep") }
    /^<!-- search begins/ { show("search") }
    /^<!-- diagnose begins/ { show("diagnose") }
    /^<!-- errors begin/ { show("calibrated") }
    /^<!-- other errors begin/ { show("other") }
    /^<!-- local errors begin/ { show("local") }
    /^<!-- memory errors begin/ { show("memory") }' README.md >"$work/README.md"
if $UPDATE; then
    cp "$work/README.md" README.md
elif ! diff -u README.md "$work/README.md"; then
    echo "README.md shows what the program no longer gives: tests/readme.sh --update"
    exit 1
fi
