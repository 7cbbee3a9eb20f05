#!/usr/bin/env bash
# run.sh - installs what the tests need and runs all of them.
#
#   tests/run.sh           everything, some 40 minutes on two cores
#   tests/run.sh --long    longer fuzzing, clang's path analysis and the benchmarks too
#
# Each ctest test counts once per build it runs in (release, asan, tsan, coverage); lint, coverage,
# each fuzz target and each check of deploy/ count as one. The last line is the sum, and the exit code is 1 on any failure.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# shellcheck source=deploy/packages.sh
source deploy/packages.sh

COVERAGE_MIN=95
FUZZ_SECONDS=10
LINT=()
LONG=false
case "${1:-}" in
'') ;;
--long)
    LONG=true
    LINT=(--long)
    FUZZ_SECONDS=600
    ;;
*) die "usage: tests/run.sh [--long]" ;;
esac

passed=0
failed=0
failures=()

# count NAME COMMAND...: one check.
count()
{
    local name=$1 began=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if "$@"; then
        passed=$((passed + 1))
        printf '== %s: passed (%d s)\n' "$name" $((SECONDS - began))
    else
        failed=$((failed + 1))
        failures+=("$name")
        printf '== %s: FAILED (%d s)\n' "$name" $((SECONDS - began))
    fi
}

# build PRESET [TARGET...]
build()
{
    local preset=$1 log=build-$1/build.log targets=()
    shift
    (($# == 0)) || targets=(--target "$@")
    mkdir -p "build-$preset"
    if ! { cmake --preset "$preset" && cmake --build --preset "$preset" "${targets[@]}"; } >"$log" 2>&1; then
        grep -E 'error|warning|FAILED' "$log" | head -n 60
        tail -n 20 "$log"
        return 1
    fi
}

# run_ctest PRESET [CTEST ARGUMENT...]: adds ctest's own counts; a build that finds no test failed.
run_ctest()
{
    local preset=$1 log=build-$1/ctest.log began=$SECONDS summary bad all wrap=()
    shift
    printf '\n== tests, %s build\n' "$preset"
    # ThreadSanitizer of gcc 12 needs a memory layout that large address randomisation breaks.
    if [[ $preset == tsan ]] && setarch -R true 2>/dev/null; then
        wrap=(setarch -R)
    fi
    "${wrap[@]}" ctest --preset "$preset" -j "$(nproc)" "$@" >"$log" 2>&1
    summary=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$log")
    if [[ ! $summary =~ \ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
        tail -n 20 "$log"
        failed=$((failed + 1))
        failures+=("tests, $preset build")
        return
    fi
    bad=${BASH_REMATCH[1]}
    all=${BASH_REMATCH[2]}
    ((bad == 0)) || {
        cat "$log"
        failures+=("tests, $preset build: $bad of $all")
    }
    passed=$((passed + all - bad))
    failed=$((failed + bad))
    printf '%s (%d s)\n' "$summary" $((SECONDS - began))
}

# npm_ci FOLDER: what its lock file says.
npm_ci()
{
    (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund)
}

planner_coverage()
{
    gcovr --root . --filter 'planner/' --object-directory build-coverage --exclude-unreachable-branches \
        --fail-under-line "$COVERAGE_MIN" build-coverage
}

# fuzz PROGRAM: new inputs go to the build folder, the kept corpus is read beside them.
fuzz()
{
    local name corpus
    name=$(basename "$1")
    corpus=("build-fuzz/corpus/$name")
    mkdir -p "${corpus[0]}" build-fuzz/crashes
    [[ ! -d tests/fuzz/corpus/$name ]] || corpus+=("tests/fuzz/corpus/$name")
    [[ ! -e tests/fuzz/$name.dict ]] || corpus+=("-dict=tests/fuzz/$name.dict")
    "$1" -max_total_time="$FUZZ_SECONDS" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix=build-fuzz/crashes/ "${corpus[@]}" >"build-fuzz/$name.log" 2>&1 || {
        tail -n 60 "build-fuzz/$name.log"
        return 1
    }
    grep number_of_executed_units "build-fuzz/$name.log"
}

all_fuzzers()
{
    local sources=(tests/fuzz/*_fuzz.c) source
    [[ -e ${sources[0]} ]] || return 0
    count "build, fuzz targets (clang)" build fuzz fuzzers || return
    for source in "${sources[@]}"; do
        source=$(basename "$source" .c)
        count "fuzz $source, $FUZZ_SECONDS s" fuzz "build-fuzz/tests/$source"
    done
}

has_node || BUILD_PACKAGES+=("${WEB_PACKAGES[@]}")
install_packages "${BUILD_PACKAGES[@]}" libcmocka-dev libcurl4-openssl-dev gcovr clang-14 \
    libclang-rt-14-dev clang-format-14 clang-tidy-14 cppcheck shellcheck curl wrk chromium \
    dpkg-dev help2man lintian man-db systemd \
    liblua5.3-0 libopentracing-c-wrapper0 python3 python3-yaml # what haproxy needs, and the checks of YAML

count "packages of the page tests" npm_ci tests/web
count "build, release with warnings as errors" build release
run_ctest release
count "README shows the real reply" tests/readme.sh build-release
for check in $(tests/deploy.sh --list); do
    count "deploy, $check" tests/deploy.sh build-release "$check"
done
count "lint" tests/lint.sh "${LINT[@]}" build-release
count "build, AddressSanitizer and UBSan" build asan
run_ctest asan
count "build, ThreadSanitizer" build tsan regimed api_tests
run_ctest tsan -L '^api$' -E '^openapi_test$' # which asks one thing after the other
count "build, coverage" build coverage planner_tests
run_ctest coverage -L '^planner$'
count "planner line coverage of at least $COVERAGE_MIN %" planner_coverage
all_fuzzers
if $LONG; then
    count "300 kills" env REGIME_KILLS=300 build-release/tests/durability_test
    count "build, benchmarks" build release benchmarks
    count "benchmark, in process" build-release/tests/bench_plan
    count "benchmark, CPU per request" build-release/tests/bench_http
fi

printf '\n%d s in all\n' "$SECONDS"
for failure in "${failures[@]}"; do
    printf 'failed: %s\n' "$failure"
done
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
