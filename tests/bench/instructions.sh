#!/usr/bin/env bash
# instructions.sh - instructions per operation of each stage of a plan, by callgrind: the same on every
# run, whatever else the machine does. Needs valgrind and the release preset's benchmarks.
#
#   tests/bench/instructions.sh [STAGE...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

PROGRAM=build-release/tests/bench_plan
TIMES=640

# Instructions of the whole program when the stage runs that many times.
instructions()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$PROGRAM" --count "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : //p'
}

(($#)) || set -- parse read prepare step bare summary full request_summary request_full request_text
printf '%-20s %14s\n' stage instructions
for stage in "$@"; do
    once=$(instructions "$stage" "$TIMES")
    twice=$(instructions "$stage" $((2 * TIMES)))
    printf '%-20s %14d\n' "$stage" $(((twice - once) / TIMES))
done
