package main

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"
)

func fastAnswer(ctx *fasthttp.RequestCtx, status int, value any, err error) {
	if errors.Is(err, errNoItem) {
		ctx.Error(err.Error(), 404)
		return
	}
	var body []byte
	if err == nil {
		body, err = json.Marshal(value)
	}
	if err != nil {
		ctx.Error(err.Error(), 500)
		return
	}
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	ctx.SetBody(body)
}

func fastNumbers(ctx *fasthttp.RequestCtx, names []string, others ...int) ([]int, bool) {
	found := make([]int, len(names))
	for place, name := range names {
		value, err := number(string(ctx.QueryArgs().Peek(name)), others[place])
		if err != nil {
			ctx.Error(name+" is no number", 400)
			return nil, false
		}
		found[place] = value
	}
	return found, true
}

// fast serves the arena with fasthttp, which has no router.
func (a *arena) fast(ctx *fasthttp.RequestCtx) {
	path := string(ctx.Path())
	switch {
	case path == "/baseline11":
		if n, isValid := fastNumbers(ctx, []string{"a", "b"}, 0, 0); isValid {
			ctx.SetContentType("text/plain")
			ctx.SetBodyString(strconv.Itoa(n[0] + n[1]))
		}
	case strings.HasPrefix(path, "/json/"):
		count, err := strconv.Atoi(path[len("/json/"):])
		n, isValid := fastNumbers(ctx, []string{"m"}, 1)
		if err != nil || !isValid {
			ctx.Error("no number", 400)
			return
		}
		fastAnswer(ctx, 200, a.priced(count, n[0]), nil)
	case path == "/async-db":
		if n, isValid := fastNumbers(ctx, []string{"min", "max", "limit"}, 10, 50, 50); isValid {
			found, err := a.found(ctx, n[0], n[1], n[2])
			fastAnswer(ctx, 200, found, err)
		}
	case path == "/crud/items" && ctx.IsPost():
		created, err := a.create(ctx, ctx.PostBody())
		fastAnswer(ctx, 201, created, err)
	case path == "/crud/items":
		if n, isValid := fastNumbers(ctx, []string{"page", "limit"}, 1, 10); isValid {
			category := string(ctx.QueryArgs().Peek("category"))
			if category == "" {
				category = "electronics"
			}
			page, err := a.page(ctx, category, n[0], n[1])
			fastAnswer(ctx, 200, page, err)
		}
	case strings.HasPrefix(path, "/crud/items/"):
		id, err := strconv.Atoi(path[len("/crud/items/"):])
		if err != nil {
			ctx.Error("no number", 400)
		} else if ctx.IsPut() {
			updated, err := a.update(ctx, id, ctx.PostBody())
			fastAnswer(ctx, 200, updated, err)
		} else {
			one, isHit, err := a.one(ctx, id)
			fastAnswer(ctx, 200, one, err)
			ctx.Response.Header.Set("X-Cache", cacheField(isHit))
		}
	default:
		ctx.Error("no such path", 404)
	}
}
