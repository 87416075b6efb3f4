// A long table: the first rows, a button for more, and a search by name. Only shown rows exist, and only changed
// rows are drawn again.

import { el, announce } from "/app/dom.js";
import { count } from "/app/format.js";
import { table } from "/app/table.js";

const FIRST = 25; // default number of rows that are shown first
const MORE = 50;

// A countdown does not count as a change of a row.
const still = (name, value) => (name === "remaining_ms" ? undefined : value);
export const markOf = (...facts) => JSON.stringify(facts, still);

// options: those of table, and {nouns: "targets", first: number of rows, key(row): its name, mark(row): a text that
// changes when the row must be drawn again}. box.show(rows): all rows, in their order.
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
        announce(number.textContent);
        // If the button is gone, the focus moves to the table.
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
        number.textContent = `${count(shown.length)} of ${count(fitting.length)}${word === "" ? "" : " matching"}`;
        more.textContent = `Show ${Math.min(MORE, left)} more`;
        more.hidden = foot.hidden = left === 0;
        list.update(shown, key, mark, word === "" ? options.empty : `No ${nouns} match this name.`);
    }

    box.show = (all) => {
        rows = all;
        // A table with a focused button, or below a dialog, is not redrawn.
        const isHeld = list !== document.activeElement && list.contains(document.activeElement);
        if (!isHeld && document.querySelector("dialog") === null)
            draw();
    };
    return box;
}
