#!/usr/bin/env bash
# package_check.sh FOLDER SUITE…: installs the packages of FOLDER in a fresh Debian or Ubuntu of each SUITE, runs the programs,
# purges the packages and compares the files. `Scripts/package --check` starts it.
set -euo pipefail
# shellcheck source=Scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=$1
shift
if ((EUID != 0)); then stop "--check needs root, for debootstrap and chroot."; fi
if ! compgen -G "$packages/shiftlog-server_*.deb" >/dev/null; then stop "No packages in '$packages'; run Scripts/package first."; fi
missing=()
for tool in debootstrap zstd; do command -v "$tool" >/dev/null || missing+=("$tool"); done
if ((${#missing[@]} > 0)); then install_packages "${missing[@]}"; fi

work=$(mktemp -d)
chmod 0755 "$work"
trap 'rm -rf --one-file-system "$work"' EXIT

# bootstrap SUITE FOLDER: an Ubuntu that debootstrap of Debian does not know comes from its list of Ubuntu's archives.
bootstrap() {
    local scripts=/usr/share/debootstrap/scripts options=(--variant=minbase) from=()
    if [[ ! -e $scripts/$1 || $(readlink -f "$scripts/$1") == */gutsy ]]; then
        from=("$(sed -n 's/^[[:space:]]*default_mirror \(.*archive[^ ]*\)$/\1/p' "$scripts/gutsy" | head -n 1)" gutsy)
        if [[ ! -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ]]; then
            note "Ubuntu's keyring is not installed: its packages are not verified, and run in the test root only."
            options+=(--no-check-gpg)
        fi
    fi
    if ! bounded 900 debootstrap "${options[@]}" "$1" "$2" "${from[@]}" >"$work/bootstrap.log" 2>&1; then
        tail -n 5 "$work/bootstrap.log" >&2
        stop "'$1' was not made; is it a suite of Debian or Ubuntu, and can its archive be reached?"
    fi
}

# inside ROOT COMMAND…: in a mount namespace of its own, so that /proc disappears with it.
inside() {
    # shellcheck disable=SC2016 # expands in the inner shell
    bounded 600 unshare --mount bash -c 'mount -t proc proc "$1/proc" && chroot "$@"' - "$1" \
        /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "${@:2}"
}

# files ROOT: every file but those in which apt and dpkg keep their own state, logs and caches.
files() {
    (cd "$1" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./root \) -prune -o -printf '%y %p\n') \
        | grep -vE ' \./var/(log/(apt|dpkg|alternatives)|lib/apt/(extended_states|periodic)|cache/(apt|debconf|ldconfig))' \
        | grep -vE ' \./var/lib/dpkg/(available|status|lock|diversions|statoverride|triggers)[^/]*' | sort
}

for suite in "$@"; do
    step "$suite"
    started=$SECONDS
    machine=$work/$suite
    bootstrap "$suite" "$machine"
    inside "$machine" apt-get -qq update >"$work/apt.log" 2>&1
    files "$machine" >"$work/before"

    install -d "$machine/tmp/packages"
    install -m 0644 -t "$machine/tmp/packages" "$packages"/shiftlog*.deb "$root/Scripts/lib/package_try.sh"
    if ! inside "$machine" bash -c 'apt-get install --yes --no-install-recommends /tmp/packages/*.deb' >"$work/apt.log" 2>&1; then
        tail -n 20 "$work/apt.log" >&2
        stop "apt does not install the packages in $suite."
    fi
    note "installed: $(grep -c '^Setting up' "$work/apt.log") packages: $(sed -n 's/^Setting up \([^ :]*\).*/\1/p' "$work/apt.log" | tr '\n' ' ')"
    inside "$machine" bash /tmp/packages/package_try.sh
    inside "$machine" apt-get purge --yes --auto-remove shiftlog shiftlog-server >"$work/apt.log" 2>&1
    files "$machine" >"$work/after"
    if ! diff "$work/before" "$work/after" >"$work/difference"; then
        cat "$work/difference" >&2
        stop "A purge leaves other files in $suite than there were."
    fi
    good "$suite: $(wc -l <"$work/before") files before the installation and after the purge, in $(elapsed $((SECONDS - started)))"
    rm -rf --one-file-system "$machine"
done
