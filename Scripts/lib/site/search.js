// Searches the pages in the browser, and scrolls the menu. The index is loaded with the first letter; it is a script, so that it loads from the disk too.
"use strict";
(() => {
    const root = document.currentScript.dataset.root;
    const form = document.querySelector("form[role=search]");
    const input = form.querySelector("input");
    const found = document.getElementById("page-found");
    let loading;
    form.hidden = false;

    // A long menu begins at the page that is shown.
    const menu = document.querySelector("nav > ul");
    const current = menu.querySelector("[aria-current]");
    if (current) { menu.scrollTop = current.offsetTop - menu.clientHeight / 2; }

    const load = () => loading ??= new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = root + "search-index.js";
        script.onload = () => resolve(searchIndex.map(([title, kind, url, text]) => (
            { title, kind, url, text, name: title.toLowerCase(), all: `${title} ${kind} ${text}`.toLowerCase() })));
        script.onerror = reject;
        document.head.append(script);
    });

    // A title that is the query comes before one that begins with it, that before one that contains it, and that before text; pages and
    // types come before parts and members.
    const points = (entry, query, words) => {
        const last = entry.name.split(".").pop().split("(")[0];
        const isPart = entry.url.includes("#");
        let sum = entry.name === query ? 200 : last === query ? (isPart ? 100 : 200) : entry.name.startsWith(query) ? 90 : entry.name.includes(query) ? 60 : 0;
        for (const word of words) {
            if (!entry.all.includes(word)) { return 0; }
            sum += entry.name.includes(word) ? 25 : 3;
        }
        return sum - Math.min(entry.title.length, 80) / 10 + (isPart ? 0 : 12) + (entry.kind.includes(",") ? 0 : 15);
    };

    const excerpt = (entry, words) => {
        const place = entry.text.toLowerCase().indexOf(words.find((word) => entry.text.toLowerCase().includes(word)) ?? "");
        const start = Math.max(0, place - 50);
        return (start > 0 ? "…" : "") + entry.text.slice(start, start + 140);
    };

    const show = async () => {
        const query = input.value.trim().toLowerCase();
        if (!query) { found.hidden = true; return; }
        const entries = await load();
        if (query !== input.value.trim().toLowerCase()) { return; }
        const words = query.split(/\s+/);
        const best = entries.map((entry) => [points(entry, query, words), entry]).filter(([sum]) => sum > 0)
            .sort((one, other) => other[0] - one[0]).slice(0, 20);
        found.replaceChildren(...best.map(([, entry]) => {
            const link = document.createElement("a");
            link.href = root + entry.url;
            for (const [name, text] of [["b", entry.title], ["small", entry.kind], ["span", excerpt(entry, words)]]) {
                link.append(Object.assign(document.createElement(name), { textContent: text }), " ");
            }
            return link;
        }));
        if (best.length === 0) { found.textContent = `Nothing has ‘${input.value.trim()}’.`; }
        found.hidden = false;
    };

    input.addEventListener("input", show);
    input.addEventListener("focus", show);
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        found.querySelector("a")?.click();
    });
    document.addEventListener("keydown", (event) => {
        const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
        if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            input.focus();
        } else if (event.key === "Escape" && form.contains(document.activeElement)) {
            found.hidden = true;
            input.focus();
            input.value = "";
        } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && form.contains(document.activeElement)) {
            const stops = [input, ...found.querySelectorAll("a")];
            const next = stops[stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
            if (next) { event.preventDefault(); next.focus(); }
        }
    });
    document.addEventListener("click", (event) => { if (!form.contains(event.target) || event.target.closest("#page-found a")) { found.hidden = true; } });
    form.addEventListener("focusout", (event) => { if (event.relatedTarget && !form.contains(event.relatedTarget)) { found.hidden = true; } });
})();
