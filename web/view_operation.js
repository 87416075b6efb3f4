// The view of one request: its outcome, the next step, and each attempt, wait, switch and skip.

import { el, fill, said } from "/app/dom.js";
import { bytes, count, ms, plural, requestId, usd, whole, words } from "/app/format.js";
import { get } from "/app/api.js";
import { outcomeBadge, placeOf, wayOf } from "/app/badge.js";
import { reportFacts } from "/app/report.js";
import { table } from "/app/table.js";
import { bar } from "/app/bar.js";
import { guessOf, moneyOf } from "/app/money.js";

// "openai/gpt-4o responded after 3 attempts (failures: Rate limited and Overloaded)."
function summary(op, records) {
    const attempts = records.filter((record) => record.kind === "attempt");
    const codes = [...new Set(attempts.map((record) => record.code).filter(Boolean))].map(words);
    const failures = codes.length > 0 ? ` (failures: ${codes.join(" and ")})` : "";
    const number = plural(op.attempts, "attempt", "attempts");
    if (op.outcome === "succeeded")
        return op.attempts > 1 ? [said(op.target), ` responded after ${number}${failures}.`]
            : [said(op.target), " responded on the first attempt."];
    if (op.outcome === "failed")
        return [said(op.client || "The client"), ` received ${op.code ? words(op.code) : "an error"}`,
            op.attempts > 0 ? ` after ${number}` : "; no target was called",
            op.committed ? ", when part of the response had already been sent." : "."];
    if (op.outcome === "cancelled")
        return [said(op.client || "The client"), ` cancelled the request after ${number}.`];
    if (op.outcome === "notice")
        return "An event of the gateway itself, not a request.";
    return "The request has not ended, or the gateway stopped before its end.";
}

function sentence(record) {
    const to = record.target ? said(record.target) : "no target";
    const key = record.credential ? [" with key ", said(record.credential)] : [];
    const why = record.reason_text ? [": ", record.reason_text] : [];
    switch (record.kind) {
    case "begin": return ["Request for ", said(record.model || "no model")];
    case "attempt": return record.code
        ? [`Attempt ${record.attempt}: `, to, key, " failed: ", el("b", {}, words(record.code)),
            record.status ? ` (HTTP ${record.status})` : ""]
        : [`Attempt ${record.attempt}: `, to, key, " responded",
            record.status ? ` (HTTP ${record.status})` : "",
            record.translated ? [", translated ", said(record.translated)] : ""];
    case "wait": return [`Waited ${ms(record.wait_ms)}`, why, record.text ? [" (", said(record.text), ")"] : []];
    case "switch": return ["Switched to ", to, key, why];
    case "skip": return ["Skipped ", to, why, record.text ? [" (", said(record.text), ")"] : []];
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

// The measurements of an attempt, in one line.
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
        parts.push("content was sent to the client");
    return parts.join(" · ");
}

// The start of a record since the start of the request, and its duration.
function spanOf(record) {
    const took = record.kind === "wait" ? record.wait_ms : record.kind === "attempt" ? record.latency_ms : 0;
    return { from: record.at_ms, took: took || 0 };
}

function lane(record, length) {
    const { from, took } = spanOf(record);
    return bar(took, length, tones(record), from);
}

// The reason of the next action, unless the next row shows it.
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
        { name: "Event", cell: (record) => el("div", { class: "story" },
            el("span", { class: `sign ${tones(record)}`, "aria-hidden": "true" },
                record.kind === "attempt" ? (record.code ? "✕" : "✓") : signs[record.kind] || "·"),
            el("div", {}, el("p", {}, sentence(record)),
                record.kind === "attempt" ? el("p", { class: "note" }, numbers(record)) : null,
                thenOf(record, records[records.indexOf(record) + 1]),
                record.report ? el("details", {}, el("summary", {}, "Provider’s error"),
                    reportFacts(record.report)) : null)) },
        { name: `Over ${ms(length)}`, class: "wide lane", cell: (record) => lane(record, length) },
    ], records, { class: "timeline", empty: "The audit has no step of this request yet." });
}

function copied(text) {
    const button = el("button", { type: "button", class: "quiet small", onclick: async () => {
        try {
            await navigator.clipboard.writeText(text);
            button.textContent = "copied";
        } catch {
            button.textContent = "copying failed";
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
        ["Requested model", op.model && said(op.model)],
        [op.outcome === "succeeded" ? "Target" : "Last target", op.target && [said(op.target),
                    op.credential ? [" with key ", said(op.credential)] : []]],
        ["Time", op.latency_ms !== undefined && [ms(op.latency_ms), op.first_byte_ms !== undefined
            ? `, first token after ${ms(op.first_byte_ms)}` : ""]],
        ["Waited", op.wait_ms && ms(op.wait_ms)],
        ["Attempts", count(op.attempts)],
        ["Tokens", (op.tokens_in || op.tokens_out) && [count(op.tokens_in || 0), " in, ",
            count(op.tokens_out || 0), " out", guessOf(op)]],
        ["Cost", op.cost_usd !== undefined && moneyOf(op)],
        ["Response", op.bytes && `${bytes(op.bytes)}${op.streaming ? ", streamed" : ""}`],
        ["Report", op.report_id && copied(op.report_id), "long"],
    ];
    return el("dl", { class: "facts" }, rows.filter(([, value]) => value).map(([name, value, kind]) =>
        el("div", { class: kind }, el("dt", {}, name), el("dd", {}, value))));
}

// The next step: from the error that the client received, otherwise from the last failed attempt.
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
            el("h2", { id: "report-title" }, "Error sent to the client"), reportFacts(op.report, true)) : null);
    }

    get(`/admin/v1/operations/${encodeURIComponent(id)}`, {}, controller.signal).then(draw, (fault) => {
        if (fault.name !== "AbortError")
            fill(body, el("div", { class: "panel" }, el("p", { class: "bad-text", role: "alert" }, fault.message),
                fault.advice ? el("p", {}, fault.advice) : null));
    });
    return () => controller.abort();
}
