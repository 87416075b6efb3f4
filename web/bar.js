// A bar as long as the part of a whole. Hidden from screen readers: the numbers are beside it.

import { el } from "/app/dom.js";

export function bar(part, whole, tone = "info", from = 0) {
    const inner = el("span", { class: `span ${tone}`, hidden: part === 0 && tone === "info" });
    inner.style.left = `${whole > 0 ? Math.min(99, (100 * from) / whole) : 0}%`;
    inner.style.width = `${whole > 0 ? Math.min(100, (100 * part) / whole) : 0}%`;
    return el("span", { class: "track", "aria-hidden": "true" }, inner);
}
