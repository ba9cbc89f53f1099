package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

func answer(w http.ResponseWriter, status int, value any, err error) {
	if errors.Is(err, errNoItem) {
		http.Error(w, err.Error(), 404)
		return
	}
	var body []byte
	if err == nil {
		body, err = json.Marshal(value)
	}
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body)
}

// numbers are those of the query; what is missing has the second value of its pair.
func numbers(w http.ResponseWriter, r *http.Request, names []string, others ...int) ([]int, bool) {
	query, found := r.URL.Query(), make([]int, len(names))
	for place, name := range names {
		value, err := number(query.Get(name), others[place])
		if err != nil {
			http.Error(w, name+" is no number", 400)
			return nil, false
		}
		found[place] = value
	}
	return found, true
}

func last(w http.ResponseWriter, r *http.Request, prefix string) (int, bool) {
	value, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, prefix))
	if err != nil {
		http.Error(w, "the path has no number", 400)
	}
	return value, err == nil
}

// handler serves the arena with net/http.
func (a *arena) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/baseline11", func(w http.ResponseWriter, r *http.Request) {
		if n, isValid := numbers(w, r, []string{"a", "b"}, 0, 0); isValid {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, strconv.Itoa(n[0]+n[1]))
		}
	})
	mux.HandleFunc("/json/", func(w http.ResponseWriter, r *http.Request) {
		if count, isValid := last(w, r, "/json/"); isValid {
			if n, isValid := numbers(w, r, []string{"m"}, 1); isValid {
				answer(w, 200, a.priced(count, n[0]), nil)
			}
		}
	})
	mux.HandleFunc("/async-db", func(w http.ResponseWriter, r *http.Request) {
		if n, isValid := numbers(w, r, []string{"min", "max", "limit"}, 10, 50, 50); isValid {
			found, err := a.found(r.Context(), n[0], n[1], n[2])
			answer(w, 200, found, err)
		}
	})
	mux.HandleFunc("/crud/items", a.collection)
	mux.HandleFunc("/crud/items/", a.single)
	return mux
}

func (a *arena) collection(w http.ResponseWriter, r *http.Request) {
	if r.Method == "POST" {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		created, err := a.create(r.Context(), body)
		answer(w, 201, created, err)
		return
	}
	if n, isValid := numbers(w, r, []string{"page", "limit"}, 1, 10); isValid {
		category := r.URL.Query().Get("category")
		if category == "" {
			category = "electronics"
		}
		page, err := a.page(r.Context(), category, n[0], n[1])
		answer(w, 200, page, err)
	}
}

func (a *arena) single(w http.ResponseWriter, r *http.Request) {
	id, isValid := last(w, r, "/crud/items/")
	if !isValid {
		return
	}
	if r.Method == "PUT" {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		updated, err := a.update(r.Context(), id, body)
		answer(w, 200, updated, err)
		return
	}
	one, isHit, err := a.one(r.Context(), id)
	w.Header().Set("X-Cache", cacheField(isHit))
	answer(w, 200, one, err)
}

func cacheField(isHit bool) string {
	if isHit {
		return "HIT"
	}
	return "MISS"
}
