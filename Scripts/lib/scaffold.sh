# shellcheck shell=bash
# The tool behind new-feature and its siblings: built on its first use and after a change, then run as it is.
# Sourced after common.sh.
# shellcheck disable=SC2154 # 'root' is set there

scaffold_package=$root/Scripts/Scaffold
scaffold_build=$root/.build-scaffold

# build_scaffold: builds the tool when a source is newer than the last build.
build_scaffold() {
    local stamp=$scaffold_build/built log
    if [[ -x $scaffold_build/debug/scaffold && -e $stamp ]] &&
        [[ -z $(find "$scaffold_package" \( -name '*.swift' -o -name 'Package.resolved' \) -newer "$stamp" -print -quit) ]]; then
        return
    fi
    require_toolchain
    step "Building the tool, once"
    log=$(mktemp)
    if ! watched 900 "$log" '^\[[0-9]+/[0-9]+\]|^(Fetching|Computing|Creating)' \
        swift build --package-path "$scaffold_package" --scratch-path "$scaffold_build" --product scaffold; then
        grep -aE 'error: ' "$log" | sort -u | head -n 20 >&2 || true
        tail -n 5 "$log" >&2
        rm -f "$log"
        stop "The tool in Scripts/Scaffold does not build."
    fi
    rm -f "$log"
    touch "$stamp"
}

# exec_scaffold COMMAND [ARGUMENT…]: becomes the tool.
exec_scaffold() {
    build_scaffold
    exec "$scaffold_build/debug/scaffold" "$@"
}
