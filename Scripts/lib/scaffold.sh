# shellcheck shell=bash
# The tool behind new-feature and its siblings: built on its first use and after a change, then run as it is.
# A service that runs these scripts says where it is: STRATA_SERVICE is its folder, which gets the features and the build of the tool.
# shellcheck source=Scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scaffold_build=${STRATA_SERVICE:-$root}/.build-scaffold

# build_scaffold: builds the tool when a source is newer than the last build.
build_scaffold() {
    local package=$root/Scripts/Scaffold stamp=$scaffold_build/built log
    # A build does not survive a move of the folder: precompiled modules name the old one.
    if [[ -e $scaffold_build/root && $(<"$scaffold_build/root") != "$package" ]]; then rm -rf "$scaffold_build"; fi
    if [[ -x $scaffold_build/debug/scaffold && -e $stamp ]] &&
        [[ -z $(find "$package/Sources" "$package/Package.swift" -name '*.swift' -newer "$stamp" -print -quit) ]]; then
        return
    fi
    require_toolchain
    # SwiftPM prefers it to --scratch-path.
    unset SWIFTPM_BUILD_DIR
    step "Building the tool, once"
    log=$(mktemp)
    mkdir -p "$scaffold_build"
    printf '%s\n' "$package" >"$scaffold_build/root"
    if ! watched 900 "$log" '^\[[0-9]+/[0-9]+\]' \
        swift build --package-path "$package" --scratch-path "$scaffold_build" --product scaffold; then
        grep -aE 'error: ' "$log" | sort -u | head -n 20 >&2 || true
        tail -n 5 "$log" >&2
        rm -f "$log"
        stop "The tool in Scripts/Scaffold does not build."
    fi
    rm -f "$log"
    touch "$stamp"
}

# scaffold COMMAND [ARGUMENT…]: prints the comment at the top of the script for --help, else becomes the tool.
scaffold() {
    local argument trees=(--strata "$root")
    for argument in "${@:2}"; do
        if [[ $argument == --help || $argument == -h ]]; then
            usage "$0"
            exit 0
        fi
    done
    case $1 in
    new-service | update-from-template) ;;
    *) trees+=(--root "${STRATA_SERVICE:-$root}") ;;
    esac
    build_scaffold
    exec "$scaffold_build/debug/scaffold" "$1" "${trees[@]}" "${@:2}"
}
