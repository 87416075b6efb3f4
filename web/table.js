// Tables with a caption and column heads.

import { el, fill } from "/app/dom.js";

// columns: [{name, cell(row), class}]; class "wide" is hidden on a phone, "num" is a number.
// options: {class, empty, heads, data(row), order(row): a number, the largest first, for addFresh}
export function table(caption, columns, rows, options = {}) {
    const body = el("tbody");
    const element = el("table", { class: options.class },
        el("caption", { class: options.showCaption ? "" : "hidden" }, caption),
        el("thead", {}, el("tr", {}, columns.map((column) =>
            el("th", { scope: "col", class: column.class }, column.name)))),
        body);
    const box = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
        element);
    const orders = new WeakMap();
    const rowOf = (row) => {
        const made = el("tr", { data: options.data ? options.data(row) : {} },
            columns.map((column, i) => el(i === 0 && options.heads ? "th" : "td",
                { class: column.class, scope: i === 0 && options.heads ? "row" : null },
                column.cell(row))));
        orders.set(made, options.order?.(row));
        return made;
    };
    box.draw = (shown, empty = options.empty) => {
        fill(body, shown.map(rowOf));
        if (shown.length === 0 && empty)
            body.append(el("tr", { class: "empty" }, el("td", { colspan: columns.length }, empty)));
    };
    // Updates rows by their keys; a row whose mark has changed is drawn again.
    const drawn = new Map();
    box.update = (shown, key, mark, empty = options.empty) => {
        const keys = new Set(shown.map(key));
        for (const [name, { made }] of drawn) {
            if (!keys.has(name)) {
                made.remove();
                drawn.delete(name);
            }
        }
        body.querySelector(".empty")?.remove();
        let next = body.firstElementChild;
        for (const row of shown) {
            const known = drawn.get(key(row));
            const now = { mark: mark(row), made: known?.made };
            if (known?.mark !== now.mark) {
                now.made = rowOf(row);
                if (next !== null && next === known?.made)
                    next = now.made;
                known?.made.replaceWith(now.made);
                drawn.set(key(row), now);
            }
            if (now.made === next)
                next = next.nextElementSibling;
            else
                body.insertBefore(now.made, next);
        }
        if (shown.length === 0 && empty)
            body.append(el("tr", { class: "empty" }, el("td", { colspan: columns.length }, empty)));
    };
    // Inserts a row by its order. isOpen: further rows exist that are not loaded; a row that
    // belongs after the last one is then not inserted, and the function returns false. isQuiet: the
    // row is not highlighted.
    box.addFresh = (row, { max, isOpen, isQuiet }) => {
        const made = rowOf(row);
        let next = body.firstElementChild;
        while (next !== null && orders.get(next) > orders.get(made))
            next = next.nextElementSibling;
        if (next === null && isOpen)
            return false;
        made.classList.toggle("fresh", !isQuiet);
        body.insertBefore(made, next);
        while (body.rows.length > max)
            body.lastElementChild.remove();
        return true;
    };
    box.addLast = (more) => body.append(...more.map(rowOf));
    box.draw(rows);
    return box;
}
