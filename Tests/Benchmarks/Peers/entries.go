// A plain Go service with the routes that the benchmark calls: net/http, mattn's sqlite3, golang-jwt.
//
//	entries ADDRESS DATABASE PUBLIC_KEY
package main

import (
	"crypto/ecdsa"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"crypto/rand"

	"github.com/golang-jwt/jwt"
	_ "github.com/mattn/go-sqlite3"
)

type entry struct {
	Author     string `json:"author"`
	Host       string `json:"host"`
	ID         string `json:"id"`
	OccurredAt string `json:"occurred_at"`
	Severity   string `json:"severity"`
	Text       string `json:"text"`
	UpdatedAt  string `json:"updated_at"`
	Version    int64  `json:"version"`
}

const columns = "author, host, id, occurred_at, severity, text, updated_at, version"

type server struct {
	key              *ecdsa.PublicKey
	parser           jwt.Parser
	one, page, addIt *sql.Stmt
	severities       map[string]bool
}

func scan(row interface{ Scan(...any) error }) (entry, error) {
	var e entry
	err := row.Scan(&e.Author, &e.Host, &e.ID, &e.OccurredAt, &e.Severity, &e.Text, &e.UpdatedAt, &e.Version)
	return e, err
}

func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"status": status, "title": http.StatusText(status), "detail": detail})
}

func answer(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		problem(w, 500, "The answer cannot be encoded.")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body)
}

// person is the name in a valid token.
func (s *server) person(r *http.Request) (string, error) {
	header := r.Header.Get("Authorization")
	if !strings.HasPrefix(header, "Bearer ") {
		return "", errors.New("no token")
	}
	claims := jwt.MapClaims{}
	_, err := s.parser.ParseWithClaims(header[len("Bearer "):], claims, func(*jwt.Token) (any, error) { return s.key, nil })
	name, _ := claims["name"].(string)
	return name, err
}

func (s *server) entries(w http.ResponseWriter, r *http.Request) {
	name, err := s.person(r)
	if err != nil {
		problem(w, 401, "Send a valid token.")
		return
	}
	id := strings.TrimPrefix(r.URL.Path, "/v1/journal/entries")
	switch {
	case r.Method == "GET" && id == "":
		s.list(w, r)
	case r.Method == "GET":
		s.get(w, r, id[1:])
	case r.Method == "POST" && id == "":
		s.create(w, r, name)
	default:
		problem(w, 405, "Use GET or POST.")
	}
}

func (s *server) get(w http.ResponseWriter, r *http.Request, id string) {
	e, err := scan(s.one.QueryRowContext(r.Context(), id))
	if errors.Is(err, sql.ErrNoRows) {
		problem(w, 404, "There is no such entry.")
		return
	}
	if err != nil {
		problem(w, 500, "The database failed.")
		return
	}
	tag := strconv.Quote(strconv.FormatInt(e.Version, 10))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(304)
		return
	}
	answer(w, 200, e)
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit < 1 || limit > 200 {
		problem(w, 400, "Use a limit of 1 to 200.")
		return
	}
	rows, err := s.page.QueryContext(r.Context(), limit+1)
	if err != nil {
		problem(w, 500, "The database failed.")
		return
	}
	defer rows.Close()
	items := make([]entry, 0, limit)
	var next *string
	for rows.Next() {
		e, err := scan(rows)
		if err != nil {
			problem(w, 500, "The database failed.")
			return
		}
		if len(items) == limit {
			next = &items[limit-1].ID
			break
		}
		items = append(items, e)
	}
	answer(w, 200, map[string]any{"items": items, "next_cursor": next})
}

func (s *server) create(w http.ResponseWriter, r *http.Request, name string) {
	var e entry
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	if err := decoder.Decode(&e); err != nil || e.Text == "" || !s.severities[e.Severity] {
		problem(w, 422, "Send a text and a severity.")
		return
	}
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	e.ID, e.Author, e.OccurredAt, e.UpdatedAt, e.Version = newID(), name, now, now, 1
	if _, err := s.addIt.ExecContext(
		r.Context(), e.Author, e.Host, e.ID, e.OccurredAt, e.Severity, e.Text, e.UpdatedAt, e.Version); err != nil {
		problem(w, 500, "The database failed.")
		return
	}
	w.Header().Set("ETag", `"1"`)
	answer(w, 201, e)
}

// newID is a UUID of version 7 (RFC 9562).
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	at := time.Now().UnixMilli()
	for i := 0; i < 6; i++ {
		b[i] = byte(at >> (40 - 8*i))
	}
	b[6], b[8] = b[6]&0x0f|0x70, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func prepared(db *sql.DB, text string) *sql.Stmt {
	statement, err := db.Prepare(text)
	if err != nil {
		log.Fatal(err)
	}
	return statement
}

func main() {
	pem, err := os.ReadFile(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	key, err := jwt.ParseECPublicKeyFromPEM(pem)
	if err != nil {
		log.Fatal(err)
	}
	open := func(options string) *sql.DB {
		db, err := sql.Open("sqlite3", "file:"+os.Args[2]+"?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000"+options)
		if err != nil {
			log.Fatal(err)
		}
		return db
	}
	// One connection for writes, as SQLite has one writer, and a pool for reads.
	writer, readers := open("&_txlock=immediate"), open("")
	writer.SetMaxOpenConns(1)
	readers.SetMaxOpenConns(8)
	readers.SetMaxIdleConns(8)
	s := &server{
		key: key, parser: jwt.Parser{ValidMethods: []string{"ES256"}},
		one:        prepared(readers, "SELECT "+columns+" FROM entry WHERE id = ?"),
		page:       prepared(readers, "SELECT "+columns+" FROM entry ORDER BY occurred_at DESC, id DESC LIMIT ?"),
		addIt:      prepared(writer, "INSERT INTO entry ("+columns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
		severities: map[string]bool{"info": true, "warning": true, "critical": true},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/health/live", func(w http.ResponseWriter, r *http.Request) { answer(w, 200, map[string]string{"status": "live"}) })
	mux.HandleFunc("/v1/journal/entries", s.entries)
	mux.HandleFunc("/v1/journal/entries/", s.entries)
	log.Fatal(http.ListenAndServe(os.Args[1], mux))
}
