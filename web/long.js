// A table of many: the first ones, more when asked for, or those whose names have what is searched for.
// Rows that are as they were are left alone: what nobody sees and what did not change costs nothing.

import { el, tell } from "/app/dom.js";
import { count } from "/app/format.js";
import { table } from "/app/table.js";

const FIRST = 25; // unless the caller has others
const MORE = 50;

// What runs down by itself is no change.
const still = (name, value) => (name === "remaining_ms" ? undefined : value);
export const markOf = (...facts) => JSON.stringify(facts, still);

// options: those of table, and {nouns: "targets", first: how many, key(row): its name, mark(row): another
// text when it is to be drawn anew}. box.show(rows): the whole of them, in their order.
export function longTable(caption, columns, options) {
    const list = table(caption, columns, [], options);
    const { nouns, key, first = FIRST, mark = (row) => markOf(row) } = options;
    const find = el("input", { type: "search", placeholder: `Find ${nouns}`, "aria-label": `Find ${nouns} by name`,
        autocomplete: "off", spellcheck: "false", oninput: () => {
            limit = first;
            draw();
        } });
    const number = el("span", { class: "note" });
    const more = el("button", { type: "button", onclick: () => {
        limit += MORE;
        draw();
        tell(number.textContent);
        // The button may be gone: the keyboard goes on from the table.
        if (more.hidden)
            list.focus();
    } });
    const head = el("div", { class: "long-head", hidden: true }, find, number);
    const foot = el("div", { class: "long-foot", hidden: true }, more);
    const box = el("div", { class: "long" }, head, list, foot);
    let rows = [];
    let limit = first;

    function draw() {
        const word = find.value.trim().toLowerCase();
        const fitting = word === "" ? rows : rows.filter((row) => key(row).toLowerCase().includes(word));
        const shown = fitting.slice(0, limit);
        const left = fitting.length - shown.length;
        head.hidden = rows.length <= first;
        number.textContent = `${count(shown.length)} of ${count(fitting.length)}${word === "" ? "" : " that fit"}`;
        more.textContent = `Show ${Math.min(MORE, left)} more`;
        more.hidden = foot.hidden = left === 0;
        list.update(shown, key, mark, word === "" ? options.empty : `None of the ${nouns} is called so.`);
    }

    box.show = (all) => {
        rows = all;
        // A button that is focused, or a dialog that stands over it, is not taken away.
        const isHeld = list !== document.activeElement && list.contains(document.activeElement);
        if (!isHeld && document.querySelector("dialog") === null)
            draw();
    };
    return box;
}
