package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

type rating struct {
	Score int `json:"score"`
	Count int `json:"count"`
}

type item struct {
	ID       int      `json:"id"`
	Name     string   `json:"name"`
	Category string   `json:"category"`
	Price    int      `json:"price"`
	Quantity int      `json:"quantity"`
	Active   bool     `json:"active"`
	Tags     []string `json:"tags"`
	Rating   rating   `json:"rating"`
}

type pricedItem struct {
	item
	Total int `json:"total"`
}

type pricedItems struct {
	Items []pricedItem `json:"items"`
	Count int          `json:"count"`
}

type foundItems struct {
	Items []item `json:"items"`
	Count int    `json:"count"`
}

type itemPage struct {
	Items []item `json:"items"`
	Total int    `json:"total"`
	Page  int    `json:"page"`
	Limit int    `json:"limit"`
}

// What POST receives and returns. PUT has no category.
type writtenItem struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category,omitempty"`
	Price    int    `json:"price"`
	Quantity int    `json:"quantity"`
}

const columns = "SELECT id, name, category, price, quantity, active, tags, rating_score, rating_count FROM items "

// lifetime of an item in the cache, which the rules give.
const lifetime = 200 * time.Millisecond

var errNoItem = errors.New("there is no such item")

type kept struct {
	item item
	end  time.Time
}

// arena is what both servers share: the data set, the pool of connections and the cache.
type arena struct {
	items []item
	pool  *pgxpool.Pool
	cache sync.Map
}

func newArena() (*arena, error) {
	text, err := os.ReadFile(os.Getenv("DATASET_PATH"))
	if err != nil {
		return nil, err
	}
	a := &arena{}
	if err := json.Unmarshal(text, &a.items); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		return nil, err
	}
	connections, err := strconv.Atoi(os.Getenv("DATABASE_MAX_CONN"))
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(connections)
	a.pool, err = pgxpool.ConnectConfig(context.Background(), config)
	return a, err
}

func (a *arena) priced(count, m int) pricedItems {
	items := make([]pricedItem, clamped(count, 0, len(a.items)))
	for i := range items {
		items[i] = pricedItem{a.items[i], a.items[i].Price * a.items[i].Quantity * m}
	}
	return pricedItems{items, len(items)}
}

func scan(row pgx.Row) (item, error) {
	var i item
	err := row.Scan(&i.ID, &i.Name, &i.Category, &i.Price, &i.Quantity, &i.Active, &i.Tags, &i.Rating.Score, &i.Rating.Count)
	return i, err
}

func (a *arena) rows(ctx context.Context, sql string, values ...any) ([]item, error) {
	rows, err := a.pool.Query(ctx, columns+sql, values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	items := []item{}
	for rows.Next() {
		i, err := scan(rows)
		if err != nil {
			return nil, err
		}
		items = append(items, i)
	}
	return items, rows.Err()
}

func (a *arena) found(ctx context.Context, min, max, limit int) (foundItems, error) {
	items, err := a.rows(ctx, "WHERE price BETWEEN $1 AND $2 LIMIT $3", min, max, clamped(limit, 1, 50))
	return foundItems{items, len(items)}, err
}

func (a *arena) page(ctx context.Context, category string, page, limit int) (itemPage, error) {
	limit, page = clamped(limit, 1, 50), clamped(page, 1, 1_000_000)
	items, err := a.rows(ctx, "WHERE category = $1 ORDER BY id LIMIT $2 OFFSET $3", category, limit, (page-1)*limit)
	return itemPage{items, len(items), page, limit}, err
}

// one returns the item and whether the cache had it.
func (a *arena) one(ctx context.Context, id int) (item, bool, error) {
	if value, isKept := a.cache.Load(id); isKept && time.Now().Before(value.(kept).end) {
		return value.(kept).item, true, nil
	}
	i, err := scan(a.pool.QueryRow(ctx, columns+"WHERE id = $1", id))
	if errors.Is(err, pgx.ErrNoRows) {
		return i, false, errNoItem
	}
	if err == nil {
		a.cache.Store(id, kept{i, time.Now().Add(lifetime)})
	}
	return i, false, err
}

func (a *arena) create(ctx context.Context, body []byte) (writtenItem, error) {
	var i writtenItem
	if err := json.Unmarshal(body, &i); err != nil {
		return i, err
	}
	_, err := a.pool.Exec(ctx, `
		INSERT INTO items (id, name, category, price, quantity, active, tags, rating_score, rating_count)
		VALUES ($1, $2, $3, $4, $5, true, '["bench"]', 0, 0)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, price = excluded.price, quantity = excluded.quantity`,
		i.ID, i.Name, i.Category, i.Price, i.Quantity)
	return i, err
}

func (a *arena) update(ctx context.Context, id int, body []byte) (writtenItem, error) {
	var i writtenItem
	if err := json.Unmarshal(body, &i); err != nil {
		return i, err
	}
	i.ID, i.Category = id, ""
	done, err := a.pool.Exec(ctx, "UPDATE items SET name = $1, price = $2, quantity = $3 WHERE id = $4", i.Name, i.Price, i.Quantity, id)
	if err == nil && done.RowsAffected() == 0 {
		err = errNoItem
	}
	a.cache.Delete(id)
	return i, err
}

func clamped(number, least, most int) int {
	if number < least {
		return least
	}
	if number > most {
		return most
	}
	return number
}

// number is the number of a text, or that other one for an empty text.
func number(text string, other int) (int, error) {
	if text == "" {
		return other, nil
	}
	return strconv.Atoi(text)
}
