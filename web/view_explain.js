// The explain view: classifies a pasted failure, as `recourse explain` does.

import { el, fill, said, announce } from "/app/dom.js";
import { ms, words } from "/app/format.js";
import { post } from "/app/api.js";
import { badge } from "/app/badge.js";
import { reportFacts } from "/app/report.js";
import { table } from "/app/table.js";

const BYTES_MAX = 65536;

// Returns the end of a text that is too long, because logs have the latest failure at the end.
function ending(text) {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length <= BYTES_MAX)
        return { text, isCut: false };
    return { text: new TextDecoder().decode(bytes.subarray(bytes.length - BYTES_MAX)).replace(/^\ufffd+/, ""),
        isCut: true };
}

function verdictOf(report) {
    const wait = report.provider_metadata?.retry_after_ms;
    if (report.retryable)
        return badge("warn", "↻", wait ? `retry after ${ms(wait)}` : "retryable");
    return badge("bad", "✕", "not retryable");
}

const STEPS = { layer: "Unwrapped", field: "Field", provider: "Provider", fact: "Fact", hint: "Wait",
    ignored: "Ignored", rule_tried: "Rule tried", rule_matched: "Matching rule" };

function whyOf(why) {
    const tried = why.filter((note) => note.step === "rule_tried").length;
    const shown = why.filter((note) => note.step !== "rule_tried");
    return el("details", { class: "why" }, el("summary", {}, "How the failure was classified"),
        table("Steps of the classification", [
            { name: "Step", class: "fit", cell: (note) => STEPS[note.step] || note.step },
            { name: "Item", cell: (note) => el("code", {}, note.subject) },
            { name: "Detail", cell: (note) => said(note.text || (note.wait_ms !== undefined ? ms(note.wait_ms) : "")) },
        ], shown), el("p", { class: "note" }, `${tried} rules before it did not match.`));
}

export function explain(main) {
    const text = el("textarea", { id: "failure", rows: "10", spellcheck: "false", autocomplete: "off",
        placeholder: "HTTP/1.1 429 Too Many Requests\nretry-after: 20\n\n" +
            '{"error": {"message": "Rate limit reached …"}}' });
    const provider = el("input", { type: "text", id: "provider", autocomplete: "off", spellcheck: "false" });
    const status = el("input", { type: "text", id: "status", inputmode: "numeric", pattern: "[1-9][0-9][0-9]",
        autocomplete: "off" });
    const go = el("button", { type: "submit", class: "main" }, "Explain");
    const result = el("div", { "aria-live": "polite" });

    function draw({ read_as: readAs, end_only: isEnd, report, why }, isCut) {
        fill(result, el("section", { class: "panel", "aria-labelledby": "verdict-title" },
            el("h2", { id: "verdict-title", tabindex: "-1" }, words(report.error_code), " ", verdictOf(report)),
            el("p", { class: "lead" }, said(report.message)),
            report.user_action ? el("p", { class: "advice" }, el("b", {}, `${words(report.user_action.kind)}. `),
                report.user_action.detail) : null,
            reportFacts(report, true), why ? whyOf(why) : null,
            el("p", { class: "note" }, `Read as ${readAs}.`, isEnd || isCut
                ? " The text was too long: only its end was classified." : "")));
        document.getElementById("verdict-title").focus();
    }

    async function submit(event) {
        event.preventDefault();
        const { text: sent, isCut } = ending(text.value);
        const pairs = [["provider", provider.value.trim()], ["status", status.value.trim()]]
            .filter(([, value]) => value !== "").map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
        go.disabled = true;
        try {
            draw(await post(`/admin/v1/explain${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`, sent,
                "text/plain; charset=utf-8"), isCut);
        } catch (fault) {
            fill(result, el("p", { class: "panel bad-text" }, fault.message, " ", fault.advice));
            announce(fault.message);
        }
        go.disabled = false;
    }

    fill(main, el("h1", {}, "Explain a failure"),
        el("form", { class: "panel explain", onsubmit: submit },
            el("label", { for: "failure" }, "Error text"),
            el("p", { class: "note", id: "failure-help" }, "Paste the output of curl -i, a JSON body, an event " +
                "of a stream, a log line or a stack trace. Keys in it are redacted; the text is not stored."),
            text,
            el("div", { class: "row" },
                el("label", { for: "provider" }, "Provider (optional)", provider),
                el("label", { for: "status" }, "HTTP status (optional)", status), go)),
        result);
    text.setAttribute("aria-describedby", "failure-help");
    return () => {};
}
