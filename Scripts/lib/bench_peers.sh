# shellcheck shell=bash
# The services that Scripts/bench backend and arena compare ours with.

# build_peers SOURCES FOLDER: FOLDER gets the Go service `entries`, Python with FastAPI, and the application for it.
build_peers() {
    local missing=()
    command -v wrk >/dev/null || missing+=(wrk)
    command -v go >/dev/null || missing+=(golang-go)
    [[ -d /usr/share/gocode/src/github.com/mattn/go-sqlite3 ]] || missing+=(golang-github-mattn-go-sqlite3-dev)
    [[ -d /usr/share/gocode/src/github.com/golang-jwt/jwt ]] || missing+=(golang-github-golang-jwt-jwt-dev)
    if ((${#missing[@]} > 0)); then install_packages "${missing[@]}"; fi
    step "Peers"
    mkdir -p "$2/app"
    cp "$1/entries.py" "$2/app/"
    # Debian's Go libraries are found by GOPATH, without modules; sqlite3 is the system's, as in Strata.
    GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$2/go-cache \
        bounded 600 go build -tags libsqlite3 -o "$2/entries" "$1/entries.go"
    python_packages "$2/python" "$1/requirements.txt"
}

# build_arena SOURCES FOLDER: FOLDER gets the two Go entries of Scripts/bench arena as one program, Python with FastAPI, and the
# application for it.
build_arena() {
    local missing=()
    command -v wrk >/dev/null || missing+=(wrk)
    command -v go >/dev/null || missing+=(golang-go)
    [[ -d /usr/share/gocode/src/github.com/valyala/fasthttp ]] || missing+=(golang-github-valyala-fasthttp-dev)
    [[ -d /usr/share/gocode/src/github.com/jackc/pgx/v4 ]] || missing+=(golang-github-jackc-pgx-v4-dev)
    if ((${#missing[@]} > 0)); then install_packages "${missing[@]}"; fi
    step "Peers"
    mkdir -p "$2/app"
    cp "$1/arena.py" "$2/app/"
    GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$2/go-cache bounded 600 go build -o "$2/arena" "$1"/arena/*.go
    python_packages "$2/python" "$1/requirements.txt"
}
