#!/usr/bin/env bash
# Runs in the root that package_check.sh made, with both packages installed: the programs, the server and a sync. Prints one
# line for each thing that works, and fails at the first that does not.
set -euo pipefail

fine() { printf '    %s\n' "$*"; }
fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# get PATH: the status of the server's answer.
get() {
    local line
    exec 3<>/dev/tcp/127.0.0.1/"$port"
    printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$1" "$port" >&3
    read -r line <&3
    exec 3<&- 3>&-
    cut -d ' ' -f 2 <<<"$line"
}

if command -v swift; then fail "Swift is installed here."; fi
fine "shiftlog $(shiftlog --version), shiftlog-server $(shiftlog-server --version), no Swift"
for program in shiftlog shiftlog-server; do
    libraries=$(ldd "/usr/bin/$program")
    if grep 'not found' <<<"$libraries"; then fail "$program misses libraries."; fi
    bash -n "/usr/share/bash-completion/completions/$program"
    [[ -s /usr/share/zsh/vendor-completions/_$program && -s /usr/share/fish/vendor_completions.d/$program.fish ]] \
        || fail "Completions of $program are missing."
    zcat /usr/share/man/man[18]/"$program".[18].gz | grep -q '^.SH COMMANDS' || fail "$program has no manual page."
    [[ -s /usr/share/doc/$program/copyright ]] || fail "$program has no copyright file."
done
[[ $(dpkg --verify shiftlog shiftlog-server) == "" ]] || fail "dpkg --verify finds other files than were packed."
fine "libraries, completions, manual pages, digests"

# The client without a server
export HOME=/tmp/home SHIFTLOG_TOKEN_STORE=file
mkdir "$HOME"
shiftlog --offline journal add 'Tide gauge 3 is stuck' >/dev/null 2>&1
shiftlog journal list 2>/dev/null | grep -q 'Tide gauge 3 is stuck' || fail "The entry is not listed."
fine "journal add and list without a server"

# The server, as its unit starts it
[[ $(stat --format='%a %U' /etc/shiftlog/settings.json) == '600 root' ]] || fail "settings.json is not private to root."
port=18431
database=sqlite:/var/lib/shiftlog/shiftlog.sqlite
install -d -m 0700 /var/lib/shiftlog
SHIFTLOG_DATABASE=$database SHIFTLOG_CONFIG_FILE=/etc/shiftlog/settings.json SHIFTLOG_HTTP_PORT=$port \
    SHIFTLOG_LOG_LEVEL=warning shiftlog-server serve >/tmp/server.log 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in {1..100}; do
    if [[ $(get /health/ready 2>/dev/null) == 200 ]]; then break; fi
    kill -0 "$server" 2>/dev/null || fail "The server ended: $(cat /tmp/server.log)"
    sleep 0.1
done
[[ $(get /health/live) == 200 && $(get /health/ready) == 200 ]] || fail "The server is not ready: $(cat /tmp/server.log)"
fine "serve: live and ready"

password='correct horse battery'
echo "$password" | shiftlog-server create-user alice --role admin --password-stdin --database "$database" >/dev/null
export SHIFTLOG_SERVER=http://127.0.0.1:$port
echo "$password" | shiftlog login --username alice --password-stdin >/dev/null 2>&1
shiftlog sync 2>/dev/null | grep -q 'sent 1' || fail "The sync did not send the entry."
echo "$password" | shiftlog --profile other login --username alice --password-stdin >/dev/null 2>&1
shiftlog --profile other sync >/dev/null 2>&1
shiftlog --profile other journal list 2>/dev/null | grep -q 'Tide gauge 3 is stuck' || fail "Another profile has no entry."
fine "create-user, login, sync to the server and to another profile"

kill -TERM "$server"
wait "$server" || fail "The server ended with status $? after SIGTERM."
fine "the server ends with status 0 after SIGTERM"
