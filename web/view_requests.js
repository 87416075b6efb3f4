// The requests view: filtered, paged, with new requests as they end.

import { cut, el, fill, said, announce } from "/app/dom.js";
import { count, ms, requestId, when, words } from "/app/format.js";
import { get } from "/app/api.js";
import { gateway, subscribe } from "/app/gateway.js";
import { range } from "/app/range.js";
import { table } from "/app/table.js";
import { moneyOf } from "/app/money.js";
import { effortOf, operationLink, outcomeBadge, outcomeOf, wayOf } from "/app/badge.js";

const PAGE = 50;
const SHOWN_MAX = 2000;
// Maximum number of rows, unless more pages were loaded. Requests that end while the list is shown
// are drawn in batches.
const LIVE_MAX = 100;
const LIVE_MS = 400;
const LIT_MAX = 5;
const FIELDS = ["id", "outcome", "model", "target", "client", "code"];

// The details of a request; a plain success has no details.
function whatOf(op) {
    if (op.code)
        return [el("b", {}, words(op.code)), op.message ? said(op.message, { class: "note" }) : null];
    if (op.outcome === "cancelled")
        return el("span", { class: "note" }, "the client disconnected");
    if (op.outcome === "notice")
        return said(op.text || "", { class: "note" });
    return el("span", { class: "note" }, effortOf(op));
}

const COLUMNS = [
    { name: "Began", class: "time wide", cell: (op) => el("time", { datetime: op.began }, when(op.began)) },
    { name: "Outcome", class: "fit", cell: (op) => outcomeBadge(op) },
    { name: "Model and target", class: "way", cell: (op) => [operationLink(op, wayOf(op)),
        el("span", { class: "narrow-only note" }, when(op.began), op.client ? [" · ", cut(op.client)] : null,
            op.code ? ` · ${words(op.code)}` : null)] },
    { name: "Client", class: "wide client", cell: (op) => (op.client ? cut(op.client) : "–") },
    { name: "Details", class: "wide what", cell: whatOf },
    { name: "Attempts", class: "num wide", cell: (op) => count(op.attempts) },
    { name: "Latency", class: "num", cell: (op) => ms(op.latency_ms) },
    { name: "First token", class: "num wide", cell: (op) => ms(op.first_byte_ms) },
    { name: "Cost", class: "num wide", cell: moneyOf },
];

function field(name, label, value, list) {
    return el("label", {}, label, el("input", { type: "text", name, value: value || "", list,
        autocomplete: "off", spellcheck: "false" }));
}

const OUTCOMES = ["", "failed", "recovered", "succeeded", "cancelled", "open", "notice"];

function formOf(query, onChange) {
    const outcome = el("select", { name: "outcome" }, OUTCOMES.map((name) =>
        el("option", { value: name, selected: name === (query.outcome || "") }, name || "any")));
    const form = el("form", { class: "filters", role: "search", "aria-label": "Filter requests",
        onsubmit: (event) => {
            event.preventDefault();
            onChange();
        }, onchange: onChange },
    el("label", {}, "Outcome", outcome),
    field("model", "Model", query.model),
    field("target", "Target", query.target, "targets-known"),
    field("client", "Client", query.client),
    field("code", "Code", query.code, "codes-known"),
    field("id", "Request or report id", query.id),
    el("button", { type: "submit", class: "main" }, "Show"),
    el("button", { type: "button", class: "quiet", onclick: () => {
        form.querySelectorAll("input").forEach((input) => {
            input.value = "";
        });
        outcome.value = "";
        onChange();
    } }, "Clear"),
    el("datalist", { id: "targets-known" }, (gateway.state?.targets || []).map((target) =>
        el("option", { value: target.target }))),
    el("datalist", { id: "codes-known" }));
    form.values = () => Object.fromEntries([...new FormData(form)]
        .map(([name, value]) => [name, value.trim()]).filter(([, value]) => value !== ""));
    return form;
}

// Suggests the error codes that have occurred.
async function fillCodes(form) {
    try {
        const answer = await get("/admin/v1/stats", { since: range().id, by: "code" });
        fill(form.querySelector("#codes-known"), answer.operations.code
            .filter((group) => group.name).map((group) => el("option", { value: group.name })));
    } catch {
        // If the query fails, the field works without suggestions.
    }
}

// Returns whether an operation that has just ended matches the filter.
function fits(op, query) {
    if (query.id)
        return false;
    if (query.outcome && query.outcome !== op.outcome &&
        !(query.outcome === "recovered" && outcomeOf(op) === "recovered"))
        return false;
    return (!query.model || op.model === query.model) && (!query.client || op.client === query.client) &&
        (!query.code || op.code === query.code) && (!query.target || op.target === query.target);
}

export function requests(main, query) {
    let shown = Object.fromEntries(FIELDS.filter((name) => query[name])
        .map((name) => [name, query[name]]));
    const form = formOf(shown, () => {
        shown = form.values();
        const pairs = Object.entries(shown).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
        history.replaceState(null, "", pairs.length > 0 ? `#/requests?${pairs.join("&")}` : "#/requests");
        load(false);
    });
    // The audit pages requests by their start, so the list has the same order.
    const list = table("Requests, the newest first", COLUMNS, [], { class: "requests",
        order: (op) => new Date(op.began).getTime(), data: (op) => ({ outcome: outcomeOf(op) }) });
    const status = el("p", { class: "note", role: "status" }, "Loading…");
    const more = el("button", { type: "button", hidden: true, onclick: () => load(true) }, "Load older requests");
    const seen = new Set();
    let controller = null;
    let next = null;
    let number = 0;
    let asked = 0; // number of rows that were loaded
    let ended = []; // operations that are not drawn yet
    let timer = null;

    function say() {
        fill(status, number === 0 ? (Object.keys(shown).length > 0
            ? "No request matches. Change the filter or the time range."
            : "No requests in this time range.")
            : `${count(number)} shown${next ? ", there are more" : ""}.`);
    }

    async function load(isMore) {
        controller?.abort();
        controller = new AbortController();
        more.disabled = true;
        try {
            const answer = await get("/admin/v1/operations", { ...shown, limit: PAGE,
                since: shown.id ? undefined : range().id, after: isMore ? next : undefined },
            controller.signal);
            if (!isMore) {
                seen.clear();
                number = asked = 0;
            }
            const rows = answer.operations.filter((op) => !seen.has(requestId(op.id)));
            rows.forEach((op) => seen.add(requestId(op.id)));
            if (isMore)
                list.addLast(rows);
            else
                list.draw(rows);
            number += rows.length;
            asked = number;
            next = answer.next;
            say();
            if (isMore)
                announce(`${rows.length} older requests`);
        } catch (fault) {
            if (fault.name === "AbortError")
                return;
            fill(status, fault.message, " ", fault.advice);
        }
        more.disabled = false;
        more.hidden = !next || number >= SHOWN_MAX;
    }

    function onOperation(op) {
        if (!fits(op, shown))
            return;
        ended.push(op);
        // Older operations would leave the list at once.
        if (ended.length > LIVE_MAX)
            ended.shift();
        timer ??= setTimeout(drawEnded, LIVE_MS);
    }

    function drawEnded() {
        const max = Math.max(LIVE_MAX, asked);
        timer = null;
        // Highlighting many rows at once is slow and unreadable.
        const isQuiet = ended.length > LIT_MAX;
        // The filter may have changed since the operations ended.
        for (const op of ended.filter((one) => fits(one, shown) && !seen.has(requestId(one.id)))) {
            if (!list.addFresh(op, { max, isOpen: Boolean(next) || number >= max, isQuiet }))
                continue;
            seen.add(requestId(op.id));
            number = Math.min(number + 1, max);
        }
        ended = [];
        say();
    }

    const box = el("details", { class: "filter-box" }, el("summary", {}, "Filter"), form);
    box.open = !matchMedia("(max-width: 900px)").matches || Object.keys(shown).length > 0;
    fill(main, el("h1", {}, "Requests"), box, status,
        el("section", { class: "panel flush", "aria-label": "Requests" }, list), more);
    load(false);
    fillCodes(form);
    const ends = [subscribe("operation", onOperation), subscribe("range", () => load(false)),
        subscribe("link", (link) => link === "live" && load(false))];
    return () => {
        controller?.abort();
        clearTimeout(timer);
        ends.forEach((end) => end());
    };
}
