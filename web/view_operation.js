// One request: how it ended, what to do, and everything that happened on the way.

import { el, fill, said } from "/app/dom.js";
import { bytes, count, ms, plural, requestId, usd, whole, words } from "/app/format.js";
import { get } from "/app/api.js";
import { outcomeBadge, placeOf, wayOf } from "/app/badge.js";
import { reportFacts } from "/app/report.js";
import { table } from "/app/table.js";
import { bar } from "/app/bar.js";
import { guessOf, moneyOf } from "/app/money.js";

// "openai answered; it took 3 tries, after Rate limited and Overloaded."
function summary(op, records) {
    const attempts = records.filter((record) => record.kind === "attempt");
    const codes = [...new Set(attempts.map((record) => record.code).filter(Boolean))].map(words);
    const after = codes.length > 0 ? `, after ${codes.join(" and ")}` : "";
    const tries = plural(op.attempts, "try", "tries");
    if (op.outcome === "succeeded")
        return op.attempts > 1 ? [said(op.target), ` answered; it took ${tries}${after}.`]
            : [said(op.target), " answered at the first try."];
    if (op.outcome === "failed")
        return [said(op.client || "The client"), ` got ${op.code ? words(op.code) : "an error"}`,
            op.attempts > 0 ? ` after ${tries}` : "; no target was asked",
            op.committed ? ", when part of the answer had been passed on." : "."];
    if (op.outcome === "cancelled")
        return [said(op.client || "The client"), ` did not want the answer any more after ${tries}.`];
    if (op.outcome === "notice")
        return "Something that was done to the gateway.";
    return "It has not ended, or the process ended before it did.";
}

function sentence(record) {
    const to = record.target ? said(record.target) : "nobody";
    const key = record.credential ? [" with key ", said(record.credential)] : [];
    const why = record.reason_text ? [": ", record.reason_text] : [];
    switch (record.kind) {
    case "begin": return ["Asked for ", said(record.model || "nothing")];
    case "attempt": return record.code
        ? [`Try ${record.attempt}: `, to, key, " failed: ", el("b", {}, words(record.code)),
            record.status ? ` (HTTP ${record.status})` : ""]
        : [`Try ${record.attempt}: `, to, key, " answered",
            record.status ? ` (HTTP ${record.status})` : ""];
    case "wait": return [`Waited ${ms(record.wait_ms)}`, why, record.text ? [" (", said(record.text), ")"] : []];
    case "switch": return ["Went on to ", to, key, why];
    case "skip": return ["Passed over ", to, why];
    case "stop": return ["Stopped", why];
    case "quota": return [to, key, " ", said(record.text || "is near its limit")];
    case "cancel": return ["Cancelled", record.text ? [": ", said(record.text)] : []];
    default: return [words(record.kind), placeOf(record) ? [" ", said(placeOf(record))] : [],
        record.text ? [": ", said(record.text)] : why];
    }
}

const tones = (record) => {
    if (record.kind === "attempt")
        return record.code ? "bad" : "good";
    return { wait: "warn", switch: "warn", skip: "warn", quota: "warn", stop: "bad", cancel: "dim" }[record.kind] || "dim";
};
const signs = { begin: "▸", attempt: "", wait: "◷", switch: "⇄", skip: "⤼", quota: "!", stop: "■", cancel: "■" };

// What an attempt measured, in one line.
function numbers(record) {
    const parts = [];
    if (record.latency_ms !== undefined)
        parts.push(`took ${ms(record.latency_ms)}`);
    if (record.first_byte_ms !== undefined && !record.code)
        parts.push(`first byte after ${ms(record.first_byte_ms)}`);
    if (record.tokens_in || record.tokens_out)
        parts.push(`${count(record.tokens_in || 0)} tokens in, ${count(record.tokens_out || 0)} out${
            guessOf(record)}`);
    if (record.cost_usd !== undefined)
        parts.push(`${guessOf(record) ? "≈ " : ""}${usd(record.cost_usd)}`);
    if (record.bytes && !record.code)
        parts.push(bytes(record.bytes));
    if (record.committed)
        parts.push("content was passed on");
    return parts.join(" · ");
}

// When it began and how long it took, since the beginning.
function spanOf(record) {
    const took = record.kind === "wait" ? record.wait_ms : record.kind === "attempt" ? record.latency_ms : 0;
    return { from: record.at_ms, took: took || 0 };
}

function lane(record, length) {
    const { from, took } = spanOf(record);
    return bar(took, length, tones(record), from);
}

// What was done next is told once: here, or by the row that follows.
function thenOf(record, next) {
    if (record.kind !== "attempt" || !record.code || !record.reason_text || next?.reason_text === record.reason_text)
        return null;
    return el("p", { class: "note" }, `Then: ${record.reason_text}.`);
}

function timeline(op, records) {
    const ends = records.map((record) => spanOf(record)).map(({ from, took }) => from + took);
    const length = Math.max(1, op.latency_ms || 0, ...ends);
    return table("Timeline", [
        { name: "After", class: "num", cell: (record) => ms(record.at_ms) },
        { name: "What happened", cell: (record) => el("div", { class: "story" },
            el("span", { class: `sign ${tones(record)}`, "aria-hidden": "true" },
                record.kind === "attempt" ? (record.code ? "✕" : "✓") : signs[record.kind] || "·"),
            el("div", {}, el("p", {}, sentence(record)),
                record.kind === "attempt" ? el("p", { class: "note" }, numbers(record)) : null,
                thenOf(record, records[records.indexOf(record) + 1]),
                record.report ? el("details", {}, el("summary", {}, "What the provider said"),
                    reportFacts(record.report)) : null)) },
        { name: `Over ${ms(length)}`, class: "wide lane", cell: (record) => lane(record, length) },
    ], records, { class: "timeline", empty: "Nothing is on record yet." });
}

function copied(text) {
    const button = el("button", { type: "button", class: "quiet small", onclick: async () => {
        try {
            await navigator.clipboard.writeText(text);
            button.textContent = "copied";
        } catch {
            button.textContent = "select it by hand";
        }
    } }, "copy");
    return [el("code", {}, text), " ", button];
}

function factsOf(op) {
    const rows = [
        ["Request", copied(requestId(op.id)), "long"],
        ["Began", whole(op.began)],
        ["Client", op.client && said(op.client)],
        ["Route", op.route && said(op.route)],
        ["Asked for", op.model && said(op.model)],
        [op.outcome === "succeeded" ? "Answered by" : "Asked last", op.target && [said(op.target), op.credential ? [" with key ", said(op.credential)] : []]],
        ["HTTP status", op.status],
        ["Time", op.latency_ms !== undefined && [ms(op.latency_ms), op.first_byte_ms !== undefined
            ? `, first token after ${ms(op.first_byte_ms)}` : ""]],
        ["Waited", op.wait_ms && ms(op.wait_ms)],
        ["Tries", count(op.attempts)],
        ["Tokens", (op.tokens_in || op.tokens_out) && [count(op.tokens_in || 0), " in, ",
            count(op.tokens_out || 0), " out", guessOf(op)]],
        ["Cost", op.cost_usd !== undefined && moneyOf(op)],
        ["Answer", op.bytes && `${bytes(op.bytes)}${op.streaming ? ", streamed" : ""}`],
        ["Report", op.report_id && copied(op.report_id), "long"],
    ];
    return el("dl", { class: "facts" }, rows.filter(([, value]) => value).map(([name, value, kind]) =>
        el("div", { class: kind }, el("dt", {}, name), el("dd", {}, value))));
}

// What to do: of the failure that the client saw, else of the last one on the way.
function todoOf(op, records) {
    const report = op.report || records.findLast((record) => record.report)?.report;
    if (!report || op.outcome === "succeeded")
        return null;
    const { user_action: action } = report;
    return el("div", { class: "advice" }, el("p", {}, said(report.message)),
        action ? el("p", {}, el("b", {}, `${words(action.kind)}. `), action.detail) : null);
}

export function operation(main, query, id) {
    const body = el("div", {}, el("p", { class: "note", role: "status" }, "Loading…"));
    const controller = new AbortController();
    fill(main, el("p", { class: "back" }, el("a", { href: "#/requests" }, "← Requests")),
        el("h1", {}, said(requestId(id))), body);

    function draw({ operation: op, records }) {
        const steps = records.filter((record) => record.kind !== "begin" || records.length > 1);
        fill(main.querySelector("h1"), wayOf(op.outcome === "notice" ? { ...records[0], ...op } : op), " ",
            outcomeBadge(op));
        fill(body, el("section", { class: "panel", "aria-label": "Summary" },
            el("p", { class: "lead" }, summary(op, records)), todoOf(op, records), factsOf(op)),
        el("section", { class: "panel flush", "aria-labelledby": "timeline-title" },
            el("h2", { id: "timeline-title" }, "Timeline"), timeline(op, steps)),
        op.report ? el("section", { class: "panel", "aria-labelledby": "report-title" },
            el("h2", { id: "report-title" }, "What the client was told"), reportFacts(op.report, true)) : null);
    }

    get(`/admin/v1/operations/${encodeURIComponent(id)}`, {}, controller.signal).then(draw, (fault) => {
        if (fault.name !== "AbortError")
            fill(body, el("div", { class: "panel" }, el("p", { class: "bad-text", role: "alert" }, fault.message),
                fault.advice ? el("p", {}, fault.advice) : null));
    });
    return () => controller.abort();
}
