#!/usr/bin/env bash
# lint.sh - what the compiler does not check: format, clang-tidy, banned functions, house rules.
#
#   tests/lint.sh [BUILD]          everything; BUILD holds compile_commands.json (build-release)
#   tests/lint.sh --quick          without clang-tidy, cppcheck and -fanalyzer (as a git hook)
#   tests/lint.sh --long [BUILD]   with clang's path analysis of every file, nine tenths of clang-tidy's time
# No pipefail: the last command of a pipeline decides, often "grep ." over what was found.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

QUICK=false
TIDY_CHECKS='-clang-analyzer-*'
case "${1:-}" in
--quick)
    QUICK=true
    shift
    ;;
--long)
    TIDY_CHECKS=
    shift
    ;;
esac
BUILD=${1:-build-release}

LINES_MAX=700
BANNED='sprintf|vsprintf|strcpy|stpcpy|strcat|strncat|gets|atoi|atol|atoll|atof|strtok|gmtime|localtime|ctime|asctime|localeconv|setlocale|alloca|system|popen|tmpnam|mktemp'
PLANNER_MAY='assert|ctype|float|inttypes|limits|math|stdbool|stddef|stdint|stdlib|string'

# Files of ours, whatever else lies in the checkout.
files()
{
    find . \( -name '.git' -o -name 'build*' -o -name node_modules \) -prune -o -type f "$@" -print |
        sed 's|^\./||' | sort
}

mapfile -t C_FILES < <(files -name '*.[ch]')
mapfile -t SOURCES < <(files -name '*.c' | grep -v '^tests/fuzz/')
mapfile -t SCRIPTS < <(files -name '*.sh'; echo .ci/run)

# Prints what matches in the files given; fails when anything does.
none_match()
{
    local what=$1 pattern=$2
    shift 2
    ! { (($#)) && grep -nHwE "$pattern" "$@" | sed "s|^|$what: |" | grep .; }
}

check_format()
{
    ! clang-format-14 --dry-run -Werror "${C_FILES[@]}" 2>&1 | grep -E 'error:' | cut -d: -f1 | uniq -c |
        sed 's/^ *\([0-9]*\) \(.*\)/\2: \1 places differ from clang-format/' | grep .
}

check_banned()
{
    none_match "banned function" "($BANNED)[[:space:]]*\(" "${C_FILES[@]}"
}

check_planner()
{
    local planner own
    mapfile -t planner < <(files -path './planner/*')
    own=$(cd planner && echo *.h | sed 's/\.h//g; s/ /|/g')
    ! grep -nHE '^[[:space:]]*#[[:space:]]*include' "${planner[@]}" |
        grep -vE "<($PLANNER_MAY)\.h>|\"($own)\.h\"" | sed 's/$/: planner knows libc and libm only/' | grep .
}

# No mutable globals: the planner's objects have neither .data nor .bss.
check_globals()
{
    local library=$BUILD/libregime.a
    [[ -e $library ]] || return 0
    ! objdump -h "$library" | awk '/file format/ { object = $1 }
        ($2 == ".data" || $2 == ".bss") && $3 !~ /^0+$/ { print object, "has a mutable global in", $2 }' | grep .
}

# The name of a file says where to look: no name twice.
check_unique_names()
{
    ! files | grep -vE '^(db/records|tests/golden|tests/fuzz/corpus)/' | sed 's|.*/||' |
        grep -vxE 'README\.md|CMakeLists\.txt|\.clang-tidy|package(-lock)?\.json|page\.tsx|kustomization\.yaml' | sort | uniq -d | sed 's/$/: file name used twice/' | grep .
}

check_length()
{
    ! wc -l "${C_FILES[@]}" | awk -v max="$LINES_MAX" '$1 > max && $2 != "total" {
        print $2 ": " $1 " lines, the limit is " max }' | grep .
}

check_words()
{
    local texts
    mapfile -t texts < <(files | grep -vE '^(db/records|tests/golden|tests/fuzz/corpus)/|^LICENSE$')
    none_match "unfinished" 'TOD[O]|FIXM[E]|XX[X]' "${texts[@]}" &&
        ! grep -nHE '(^|[^[:alnum:]_./:])/(work|root|home)/' "${texts[@]}" | sed 's/$/: path of one machine/' | grep .
}

# Numbered from 0001 without a hole, one file each.
check_migrations()
{
    local file n=0 bad=0
    for file in migrations/*; do
        [[ -e $file ]] || break
        n=$((n + 1))
        [[ $file =~ ^migrations/$(printf '%04d' $n)_[a-z0-9_]+\.sql$ ]] || {
            echo "$file: migration $(printf '%04d' $n)_name.sql expected here"
            bad=1
        }
    done
    return "$bad"
}

check_shell()
{
    command -v shellcheck >/dev/null || return 0
    shellcheck -x --severity=warning "${SCRIPTS[@]}"
}

# The pages' types, where their packages are.
check_types()
{
    [[ -x web/node_modules/.bin/tsc ]] && command -v node >/dev/null || return 0
    (cd web && node_modules/.bin/tsc --noEmit)
}

# Where headers lie: the rooms of the server are folders of their own.
INCLUDES=(-I planner -I db -I server)
for room in server/*/; do
    INCLUDES+=(-I "${room%/}")
done

check_tidy()
{
    local all
    [[ -e $BUILD/compile_commands.json ]] || {
        echo "$BUILD/compile_commands.json is missing: build the release preset first"
        return 1
    }
    all=$(printf '%s\0' "${SOURCES[@]}" | xargs -0 -P "$(nproc)" -n 1 clang-tidy-14 --quiet -p "$BUILD" --checks="$TIDY_CHECKS" \
        --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-double-promotion 2>/dev/null) && return 0
    grep -E -A 3 'error:|warning:' <<<"$all"
    return 1
}

check_cppcheck()
{
    command -v cppcheck >/dev/null || return 0
    # Without what it gets wrong (arrays filled in a loop, structs filled by an init function, pointers
    # kept by ?:); the compilers, their analyzers and the sanitizers look for the same.
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
        --suppress=missingIncludeSystem --suppress=uninitvar \
        --suppress=uninitStructMember --suppress=memleak -j "$(nproc)" --error-exitcode=1 \
        "${INCLUDES[@]}" planner db server 2>&1
}

# gcc's own path analysis, where input is read and where numbers are made.
check_analyzer()
{
    local sources
    mapfile -t sources < <(files -path './planner/*.c' && files -path './server/intake/*.c')
    ((${#sources[@]})) || return 0
    # shellcheck disable=SC2046
    printf '%s\0' "${sources[@]}" | xargs -0 -P "$(nproc)" -n 1 gcc -std=c17 -D_POSIX_C_SOURCE=200809L \
        -O1 -fanalyzer -Werror "${INCLUDES[@]}" $(pkg-config --cflags libcjson yaml-0.1) -c -o /dev/null
}

CHECKS=(format banned planner globals unique_names length words migrations shell types)
$QUICK || CHECKS+=(cppcheck analyzer tidy)
bad=0
for check in "${CHECKS[@]}"; do
    began=$SECONDS
    if "check_$check"; then
        printf 'lint %-14s ok (%d s)\n' "$check" $((SECONDS - began))
    else
        printf 'lint %-14s FAILED\n' "$check"
        bad=1
    fi
done
exit "$bad"
