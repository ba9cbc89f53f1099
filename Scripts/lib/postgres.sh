# shellcheck shell=bash
# A PostgreSQL server for tests: installed where that is possible, started in a temporary folder, ended with the script.
# A server that runs already is never touched. Sourced after common.sh.

# require_postgres: installs libpq's header and the server as root on Debian and Ubuntu. Otherwise, and when that fails, it says
# what is missing and that the tests of PostgreSQL are skipped. Afterwards STRATA_POSTGRES is 1 or 0, for Package.swift.
require_postgres() {
    local missing=()
    libpq_header || missing+=(libpq-dev)
    if [[ -z ${STRATA_TEST_POSTGRES:-} && -z $(postgres_tools) ]]; then missing+=(postgresql); fi
    if ((${#missing[@]} > 0 && EUID == 0)) && command -v apt-get >/dev/null; then
        step "Installing ${missing[*]}"
        install_postgres "${missing[@]}" || problem "They could not be installed."
    fi
    if libpq_header; then export STRATA_POSTGRES=1; else export STRATA_POSTGRES=0; fi
    if ! libpq_header || [[ -z ${STRATA_TEST_POSTGRES:-} && -z $(postgres_tools) ]]; then
        problem "PostgreSQL is missing, so its tests are skipped. To run them: sudo apt-get install ${missing[*]}"
    fi
}

# require_haproxy: installs the balancer of replicas as root. Fails if it is missing afterwards.
require_haproxy() {
    if command -v haproxy >/dev/null || [[ -x /usr/sbin/haproxy ]]; then return; fi
    ((EUID == 0)) && command -v apt-get >/dev/null && install_postgres haproxy
}

# install_postgres PACKAGE…: Debian starts a server after an installation; the policy prevents that for its duration.
install_postgres() {
    local policy=/usr/sbin/policy-rc.d status=0 isOurs=0
    export DEBIAN_FRONTEND=noninteractive
    bounded 300 apt-get -qq update >&2 || return 1
    if [[ ! -e $policy ]]; then
        isOurs=1
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    bounded 600 apt-get -qq install --yes --no-install-recommends "$@" >&2 || status=$?
    if ((isOurs == 1)); then rm -f "$policy"; fi
    return "$status"
}

libpq_header() { [[ -e /usr/include/postgresql/libpq-fe.h || -e /usr/include/libpq-fe.h ]]; }

# postgres_tools: the folder of initdb and pg_ctl of the newest installed version; empty without one.
postgres_tools() {
    local initdb
    initdb=$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1) || true
    dirname "${initdb:-$(command -v initdb || true)}" | grep -vx '\.' || true
}

# postgres_folder: a path for start_postgres that does not exist yet. It is short, because the path of a socket has 107 bytes at most, and
# the user of the server may enter it. It is in memory where 4 GiB are free there: making a schema makes a hundred files.
postgres_folder() {
    local place=/tmp
    if [[ -w /dev/shm ]] && (($(df --output=avail --block-size=1M /dev/shm | tail -n 1) >= 4096)); then place=/dev/shm; fi
    mktemp -u "$place/strata-postgres-XXXXXX"
}

# start_postgres FOLDER: starts a server in a new folder that listens on a socket there only, and sets STRATA_TEST_POSTGRES. A
# value that the caller has set stays. Without a server the variable stays empty, and the tests are skipped. A server of its own
# asks the role strata_guarded for a password, and STRATA_TEST_POSTGRES_RESTART is a program that stops and starts it.
start_postgres() {
    local folder=$1 tools
    tools=$(postgres_tools)
    if [[ -n ${STRATA_TEST_POSTGRES:-} || ${STRATA_POSTGRES:-0} != 1 || -z $tools ]]; then return; fi
    mkdir -m 700 "$folder"
    # The server refuses to run as root. Debian's package has a user for it.
    if ((EUID == 0)) && ! chown postgres "$folder"; then
        problem "There is no user 'postgres', so the tests of PostgreSQL are skipped."
        return
    fi
    # What it stores is thrown away, so it does not wait for the disk.
    if as_postgres "$folder" "$tools/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C --no-sync \
        >"$folder/log" 2>&1 && sed -i '1i local all strata_guarded scram-sha-256' "$folder/data/pg_hba.conf" &&
        as_postgres "$folder" "$tools/pg_ctl" -D "$folder/data" -l "$folder/server.log" -w -s \
        -o "-k '$folder' -c listen_addresses= -c fsync=off -c max_connections=200" start >>"$folder/log" 2>&1; then
        export STRATA_TEST_POSTGRES="postgres://postgres@/postgres?host=${folder//\//%2F}"
        export STRATA_TEST_POSTGRES_RESTART=$folder/restart
        restart_program "$folder" "$tools" >"$folder/restart"
        chmod 755 "$folder/restart"
        note "$("$tools/postgres" --version) in $folder"
    else
        problem "PostgreSQL does not start, so its tests are skipped; the last lines of its log:"
        cat "$folder/log" "$folder/server.log" 2>/dev/null | tail -n 5 >&2
    fi
}

# restart_program FOLDER TOOLS: prints a program that stops the server there at once, as a crash does, and starts it again.
restart_program() {
    printf '#!/bin/bash\nset -e\n%s\n' "$(declare -f as_postgres)"
    printf 'as_postgres %q %q -D %q -l %q -m immediate -w -s restart\n' "$1" "$2/pg_ctl" "$1/data" "$1/server.log"
}

# stop_postgres FOLDER: ends the server that was started there, if there is one, and removes the folder.
stop_postgres() {
    if [[ -e $1/data/postmaster.pid ]]; then
        as_postgres "$1" "$(postgres_tools)/pg_ctl" -D "$1/data" -m immediate -s stop >/dev/null 2>&1 || true
    fi
    rm -rf "$1"
}

# as_postgres FOLDER COMMAND…: runs a command there, for root as the user of the server.
as_postgres() {
    local folder=$1 switch=()
    shift
    if ((EUID == 0)); then switch=(setpriv --reuid=postgres --regid=postgres --clear-groups); fi
    (cd "$folder" && "${switch[@]}" "$@" </dev/null)
}
