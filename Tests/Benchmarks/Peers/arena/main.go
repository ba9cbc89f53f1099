// The entries of Scripts/bench arena in Go, with pgx. DATASET_PATH, DATABASE_URL and DATABASE_MAX_CONN are those of HttpArena.
//
//	arena nethttp|fasthttp ADDRESS
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/valyala/fasthttp"
)

func main() {
	a, err := newArena()
	if err != nil {
		log.Fatal(err)
	}
	if os.Args[1] == "fasthttp" {
		log.Fatal(fasthttp.ListenAndServe(os.Args[2], a.fast))
	}
	log.Fatal(http.ListenAndServe(os.Args[2], a.handler()))
}
