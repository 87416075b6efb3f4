// Draws a report: the description of one failure.

import { el, said } from "/app/dom.js";
import { ms, words } from "/app/format.js";

const RAW_MAX = 20000;

// Returns a text that is JSON with line breaks, and any other text unchanged.
function pretty(raw) {
    try {
        return JSON.stringify(JSON.parse(raw), null, 2);
    } catch {
        return raw;
    }
}

// The texts are those of `recourse explain`.
const WHY_NOT = { configuration: "no: the configuration must change first", content: "no: the request must change first",
    capacity: "no: quota, plan, credit or balance is used up",
    ambiguous: "not safe: the request may have been carried out already",
    unknown: "no: the error is not recognised" };

function retryOf(report, meta) {
    if (report.retryable)
        return meta.retry_after_ms ? `yes, after ${ms(meta.retry_after_ms)}` : "yes";
    return WHY_NOT[report.error_category] || "no";
}

// isRest: the message and the next step are shown elsewhere on the page.
export function reportFacts(report, isRest = false) {
    const meta = report.provider_metadata || {};
    const rows = [
        ["Code", `${words(report.error_code)} (${report.error_class})`],
        ["Message", !isRest && said(report.message)],
        ["Detail", report.detail && said(report.detail)],
        ["Retry", retryOf(report, meta)],
        ["Next step", !isRest && report.user_action && [el("b", {}, `${words(report.user_action.kind)}. `),
            report.user_action.detail]],
        ["Provider", report.provider && [said(report.provider), report.model ? [" · ", said(report.model)] : []]],
        ["Response", [meta.status && `HTTP ${meta.status}`, meta.type && `type ${meta.type}`,
            meta.code && `code ${meta.code}`, meta.param && `param ${meta.param}`,
            meta.limit_kind && `limit ${meta.limit_kind}`].filter(Boolean).join(" · ")],
        ["Provider’s request id", meta.request_id && el("code", {}, meta.request_id)],
        ["Rule", report.rule && el("code", {}, report.rule)],
        ["Report", report.report_id && el("code", {}, report.report_id)],
    ];
    return el("div", {}, el("dl", { class: "facts one" }, rows.filter(([, value]) => value)
        .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    meta.raw ? el("details", {}, el("summary", {}, "Raw response"),
        rawOf(meta.raw)) : null);
}

function rawOf(raw) {
    const text = pretty(raw);
    const pre = el("pre", { tabindex: "0" });
    // The text is split, because el() would cut a longer text.
    for (let at = 0; at < Math.min(text.length, RAW_MAX); at += 4000)
        pre.append(said(text.slice(at, at + 4000)));
    if (text.length > RAW_MAX)
        pre.append("…");
    return pre;
}
