// A tile: one number with its name and a note.

import { el } from "/app/dom.js";

export function tile(name, value, note = "", tone = "") {
    return el("div", { class: `tile ${tone}` }, el("dt", {}, name), el("dd", {}, value,
        el("span", { class: "note" }, note)));
}
