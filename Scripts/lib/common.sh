# shellcheck shell=bash
# Shared by all scripts: the root of the repository, printing, time limits, required packages, building.
# Sourced after `set -euo pipefail`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# The scripts build without extra flags, so that they share one build with a plain `swift build` or `swift test`. (Without
# index and debug information a build would be a fifth faster, but SwiftPM finds the tests through the index.)

# The variable removes test targets from the manifest. The scripts need all of them; `swift test --filter` selects tests.
unset STRATA_TESTS
# A caller sets it for one command (`watched`), and the command's own scripts have none.
unset silence
# This one removes tests and programs from the manifest; Scripts/test-template sets it for its service.
[[ -n ${STRATA_SERVICE:-} ]] || unset STRATA_IS_DEPENDENCY

# SwiftPM passes the traits of a dependency in the order of a Swift `Set`. With a random order, every second build would compile
# Hummingbird again. What is not a build runs without the variable.
export SWIFT_DETERMINISTIC_HASHING=1

# MARK: Printing

if [[ -t 2 && -z ${NO_COLOR:-} ]]; then
    bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' dim=$'\e[2m' plain=$'\e[0m'
else
    bold='' red='' green='' dim='' plain=''
fi

step() { printf '%s==> %s%s\n' "$bold" "$*" "$plain" >&2; }
note() { printf '%s    %s%s\n' "$dim" "$*" "$plain" >&2; }
good() { printf '%s    %s%s\n' "$green" "$*" "$plain" >&2; }
problem() { printf '%s%s%s\n' "$red" "$*" "$plain" >&2; }
stop() {
    problem "$@"
    exit 1
}

# usage FILE: prints the comment at the top of a script as its help.
usage() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"; }

# elapsed SECONDS: 75 as "1 min 15 s".
elapsed() {
    if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %d s' "$(($1 / 60))" "$(($1 % 60))"; fi
}

# MARK: Time limits and progress

# bounded SECONDS COMMAND…: returns the command's status, or 124 with a message at the time limit.
bounded() {
    local status=0
    timeout --kill-after=10 "$@" || status=$?
    tell_overrun "$status" "$@"
    return "$status"
}

# watched SECONDS LOG PATTERN COMMAND…: like `bounded`, with the output in LOG. Shows the elapsed time and the last line that
# matches PATTERN every few seconds. An interrupt ends the command too. `silence=SECONDS watched …` also ends a command that writes
# nothing for that long, with status 124, and names the tests in LOG that have not ended.
watched() {
    local seconds=$1 log=$2 pattern=$3 started=$SECONDS shown=$SECONDS every=8 status=0 line job size=0 grown=$SECONDS
    shift 3
    if [[ -t 2 ]]; then every=1; fi
    timeout --kill-after=10 "$seconds" "$@" >"$log" 2>&1 </dev/null &
    job=$!
    # SwiftPM ends its tests at an interrupt, and at no other signal.
    # shellcheck disable=SC2064 # expands now, on purpose
    trap "kill -INT $job 2>/dev/null; exit 130" INT TERM
    while kill -0 "$job" 2>/dev/null; do
        sleep 0.3
        if ((${silence:-0} > 0)); then
            line=$(stat -c %s "$log" 2>/dev/null) || line=0
            if ((line != size)); then
                size=$line grown=$SECONDS
            elif ((SECONDS - grown >= silence)); then
                kill -INT "$job" 2>/dev/null || true
                wait "$job" || true
                trap - INT TERM
                if [[ -t 2 ]]; then printf '\r\e[K' >&2; fi
                problem "The command was ended: nothing was written to '$log' for $(elapsed "$silence"). $(unfinished_tests "$log")"
                return 124
            fi
        fi
        if ((SECONDS - shown >= every)); then
            shown=$SECONDS
            line=$(grep -aE "$pattern" "$log" | tail -n 1 | cut -c1-100) || true
            if [[ -t 2 ]]; then
                printf '\r\e[K%s    %s  %s%s' "$dim" "$(elapsed $((SECONDS - started)))" "$line" "$plain" >&2
            else
                note "$(elapsed $((SECONDS - started)))  $line"
            fi
        fi
    done
    if [[ -t 2 ]]; then printf '\r\e[K' >&2; fi
    wait "$job" || status=$?
    trap - INT TERM
    tell_overrun "$status" "$seconds" "$@"
    return "$status"
}

# unfinished_tests LOG: a line with the tests that started and did not end.
unfinished_tests() {
    awk '
        / Test case passing / { next }
        match($0, / Test .* started\.$/) { open[substr($0, RSTART + 6, RLENGTH - 15)]++ }
        match($0, / Test .*[")] (with [0-9]+ test cases? )?(passed|failed)/) {
            name = substr($0, RSTART + 6, RLENGTH - 6); sub(/ (with [0-9]+ test cases? )?(passed|failed)$/, "", name); open[name]--
        }
        END { for (name in open) if (open[name] > 0 && name !~ /^run( |$)/) names = names (names == "" ? "" : ", ") name
              print names == "" ? "Every test that started has ended." : "Not ended: " names "." }
    ' "$1"
}

# tell_overrun STATUS SECONDS COMMAND…: prints a message for status 124.
tell_overrun() {
    if (($1 == 124)); then
        problem "'$3 ${4:-}' was ended after $(elapsed "$2"), its time limit. Is another build waiting in this folder?"
    fi
}

# MARK: Requirements

# require_toolchain: ends the script with a message unless Swift 6.2 or newer is installed.
require_toolchain() {
    local version
    if ! command -v swift >/dev/null; then
        problem "Swift is not installed, or not on PATH. Strata needs Swift 6.2 or newer."
        stop "Install it as https://www.swift.org/install/linux/ says, open a new shell, and run this again."
    fi
    if ! version=$(bounded 60 swift --version 2>&1); then
        problem "$version"
        stop "'swift --version' fails; a library of the toolchain may be missing (see https://www.swift.org/install/linux/)."
    fi
    if ! grep -qE 'Swift version (6\.([2-9]|[1-9][0-9])|[7-9]|[1-9][0-9])' <<<"$version"; then
        problem "Strata needs Swift 6.2 or newer; this is $(head -n 1 <<<"$version")."
        stop "Install a newer one as https://www.swift.org/install/linux/ says, and run this again."
    fi
    note "$(grep -oE 'Swift version [^ ]+' <<<"$version") at $(command -v swift)"
}

# require_packages: checks the headers and tools that a build needs. On Debian and Ubuntu it installs missing packages as
# root; other users get the line to run.
require_packages() {
    local missing=()
    [[ -e /usr/include/sqlite3.h ]] || missing+=(libsqlite3-dev)
    command -v ld >/dev/null || missing+=(binutils)
    command -v gcc >/dev/null || missing+=(gcc)
    [[ -e /usr/include/stdlib.h ]] || missing+=(libc6-dev)
    compgen -G '/usr/include/c++/*/string' >/dev/null || missing+=(g++)
    [[ -e /usr/include/zlib.h ]] || missing+=(zlib1g-dev)
    [[ -e /usr/share/zoneinfo/UTC ]] || missing+=(tzdata)
    [[ -e /etc/ssl/certs/ca-certificates.crt ]] || missing+=(ca-certificates)
    command -v git >/dev/null || missing+=(git)
    command -v python3 >/dev/null || missing+=(python3)
    if ((${#missing[@]} > 0)); then install_packages "${missing[@]}"; fi
}

# require_tools NAME…: the same for tools that have the name of their package.
require_tools() {
    local missing=() tool
    for tool in "$@"; do command -v "$tool" >/dev/null || missing+=("$tool"); done
    if ((${#missing[@]} > 0)); then install_packages "${missing[@]}"; fi
}

# install_packages NAME…: installs Debian packages as root; other users get the line to run, and the script ends.
install_packages() {
    local line="apt-get update && apt-get install --yes --no-install-recommends $*"
    if ! command -v apt-get >/dev/null; then
        stop "Missing: $* (Debian's names). Install the corresponding packages of your system and run this again."
    elif ((EUID != 0)); then
        problem "Missing: $*. Run this line, then this script again:"
        printf '    sudo sh -c "%s"\n' "$line" >&2
        exit 1
    fi
    step "Installing $*"
    export DEBIAN_FRONTEND=noninteractive
    bounded 300 apt-get -qq update >&2
    bounded 600 apt-get -qq install --yes --no-install-recommends "$@" >&2
}

# python_packages FOLDER REQUIREMENTS: makes FOLDER a Python environment with the packages of the file, from PyPI. It is kept until the
# file changes.
python_packages() {
    if cmp -s "$2" "$1/requirements.txt"; then return; fi
    python3 -c 'import ensurepip' 2>/dev/null || install_packages python3-venv
    step "Packages from PyPI"
    bounded 120 python3 -m venv "$1"
    bounded 600 "$1/bin/pip" --quiet install --requirement "$2"
    cp "$2" "$1/requirements.txt"
}

# MARK: Building

# build LOG ARGUMENTS…: runs `swift build ARGUMENTS…` with progress, and prints its errors.
build() {
    local log=$1 started=$SECONDS status=0
    shift
    watched 3600 "$log" '^\[[0-9]+/[0-9]+\]|^(Fetching|Fetched|Computing|Creating|Working|Updating)' \
        swift build --package-path "$root" "$@" || status=$?
    if ((status != 0)); then
        grep -aE -A 3 '(error|fatal): |error:' "$log" | awk '!seen[$0]++' | head -n 60 >&2 || true
        problem "The build failed with status $status; its last lines:"
        tail -n 5 "$log" >&2
        return "$status"
    fi
    good "built in $(elapsed $((SECONDS - started)))"
}
