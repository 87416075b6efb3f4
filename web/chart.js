// Charts of time, as SVG: stacked bars and lines. Drawn for the width that there is, coloured by the
// style sheet, readable as a table, and by keyboard: the arrow keys move along the time.

import { el, fill, svg, tell } from "/app/dom.js";
import { moment, when } from "/app/format.js";
import { table } from "/app/table.js";

const HEIGHT = 168;
const PAD = { top: 8, right: 8, bottom: 22, left: 48 };
const LABEL_PX = 76; // between two marks of the time
const LINES = 3;     // across

// A round number at or above: 1, 2, 2.5, 5, 10 times a power of ten.
function nice(value) {
    if (!(value > 0))
        return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= value * 0.9999);
}

const tops = {
    bars: (series, i) => series.reduce((sum, one) => sum + (one.values[i] || 0), 0),
    lines: (series, i) => Math.max(0, ...series.map((one) => one.values[i] || 0)),
};

// spec: {title, kind: 'bars' | 'lines', format(value), mark(value), whole: counts alone, sum(values),
//        empty: text}
// draw({times, step, series: [{key, name, values}]}): values may have null where nothing is known
export function chart(spec) {
    const legend = el("ul", { class: "legend" });
    const at = el("span", { class: "at" });
    const plot = el("div", { class: "plot", tabindex: "0", role: "img" });
    const more = el("details", { class: "data" }, el("summary", {}, "As a table"));
    const empty = el("p", { class: "none", hidden: true }, spec.empty || "Nothing in this time.");
    const figure = el("figure", { class: "panel chart" },
        el("figcaption", {}, el("h3", {}, spec.title), at), plot, empty, legend, more);
    let data = null;
    let cursor = null;
    let scale = null;

    const topOf = (i) => tops[spec.kind](data.series, i);
    const largest = () => data.times.reduce((most, _, i) => Math.max(most, topOf(i)), 0);
    const isEmpty = () => data.series.every((one) => one.values.every((value) => !value));

    function makeScale(width) {
        const step = spec.whole ? Math.max(1, nice(largest() / LINES)) : nice(largest() / LINES);
        const most = step * Math.max(1, Math.ceil(largest() / step - 1e-9));
        const inner = { width: width - PAD.left - PAD.right, height: HEIGHT - PAD.top - PAD.bottom };
        const slot = inner.width / data.times.length;
        return { step, most, slot, width,
            x: (i) => PAD.left + i * slot,
            y: (value) => PAD.top + inner.height * (1 - value / most) };
    }

    function gridOf({ step, most, width, y }) {
        const lines = [];
        for (let value = 0; value <= most * 1.0001; value += step)
            lines.push(
                svg("line", { class: "grid", x1: PAD.left, x2: width - PAD.right, y1: y(value),
                    y2: y(value) }),
                svg("text", { class: "mark", x: PAD.left - 6, y: y(value) + 3.5,
                    "text-anchor": "end" }, (spec.mark || spec.format)(value)));
        return lines;
    }

    // Marks at round times of the local clock, as many as fit.
    function marksOf({ x, slot, width }) {
        const marks = [];
        const offset = new Date(data.times[0]).getTimezoneOffset() * 60000;
        const sizes = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
            172800, 604800].map((seconds) => seconds * 1000);
        const size = sizes.find((one) => one >= data.step && (one / data.step) * slot >= LABEL_PX)
            || sizes[sizes.length - 1];
        data.times.forEach((time, i) => {
            const place = x(i);
            if ((time - offset) % size === 0 && place < width - 30)
                marks.push(svg("line", { class: "tick", x1: place, x2: place,
                    y1: HEIGHT - PAD.bottom, y2: HEIGHT - PAD.bottom + 4 }),
                svg("text", { class: "mark", x: place, y: HEIGHT - 6, "text-anchor": "middle" },
                    moment(time, size)));
        });
        return marks;
    }

    function barsOf({ x, y, slot }) {
        const gap = slot > 4 ? 1 : 0;
        return data.series.map((one, n) => svg("g", { class: "series", "data-series": one.key },
            one.values.map((value, i) => {
                if (!value)
                    return null;
                const below = data.series.slice(0, n)
                    .reduce((sum, other) => sum + (other.values[i] || 0), 0);
                const top = y(below + value);
                return svg("rect", { x: x(i) + gap / 2, y: top, width: Math.max(1, slot - gap),
                    height: Math.max(0.8, y(below) - top) });
            })));
    }

    // A line ends where nothing is known; a point alone is a point.
    function linesOf({ x, y, slot }) {
        return data.series.map((one) => {
            let path = "";
            const dots = [];
            one.values.forEach((value, i) => {
                if (value === null || value === undefined)
                    return;
                const place = `${(x(i) + slot / 2).toFixed(1)} ${y(value).toFixed(1)}`;
                const before = one.values[i - 1] ?? null;
                const after = one.values[i + 1] ?? null;
                path += before === null ? `M${place}` : `L${place}`;
                if (before === null && after === null)
                    dots.push(svg("circle", { cx: x(i) + slot / 2, cy: y(value), r: 2.5 }));
            });
            return svg("g", { class: "series line", "data-series": one.key },
                svg("path", { d: path || "M0 0" }), dots);
        });
    }

    // What the legend says: of the moment under the cursor, else of all.
    function drawLegend() {
        fill(at, cursor === null ? null : when(data.times[cursor]));
        fill(legend, data.series.map((one) => {
            const value = cursor !== null ? one.values[cursor] : spec.sum(one.values);
            return el("li", {}, el("span", { class: "swatch", "data-series": one.key,
                "aria-hidden": "true" }), `${one.name} `, el("b", {},
                value === null || value === undefined ? "–" : spec.format(value)));
        }));
    }

    function drawCursor() {
        plot.querySelector(".cursor")?.remove();
        if (cursor !== null)
            plot.firstElementChild?.prepend(svg("rect", { class: "cursor", x: scale.x(cursor),
                y: PAD.top, width: Math.max(1, scale.slot), height: HEIGHT - PAD.top - PAD.bottom }));
        drawLegend();
    }

    function summary() {
        const parts = data.series.map((one) => `${one.name} ${spec.format(spec.sum(one.values) ?? 0)}`);
        const most = largest();
        const peak = data.times.findIndex((_, i) => topOf(i) === most);
        return `${spec.title}: ${parts.join(", ")}.` + (isEmpty() ? "" :
            ` The most at once: ${spec.format(most)} at ${when(data.times[peak])}.`);
    }

    function drawTable() {
        if (!more.open || data === null)
            return;
        const rows = data.times.map((time, i) => ({ time, i })).reverse();
        more.querySelector(".scroll")?.remove();
        more.append(table(spec.title, [{ name: "Time", cell: (row) => when(row.time) },
            ...data.series.map((one) => ({ name: one.name, class: "num", cell: (row) => {
                const value = one.values[row.i];
                return value === null || value === undefined ? "–" : spec.format(value);
            } }))], rows, { heads: true }));
    }

    function draw() {
        const width = Math.floor(plot.clientWidth);
        if (data === null || width < 50)
            return;
        scale = makeScale(width);
        empty.hidden = !isEmpty();
        plot.setAttribute("aria-label", summary());
        fill(plot, svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`,
            "aria-hidden": "true", focusable: "false" },
        gridOf(scale), marksOf(scale), spec.kind === "bars" ? barsOf(scale) : linesOf(scale)));
        drawCursor();
        drawTable();
    }

    function point(event) {
        if (scale === null)
            return;
        const place = event.clientX - plot.getBoundingClientRect().left - PAD.left;
        const i = Math.floor(place / scale.slot);
        cursor = i >= 0 && i < data.times.length ? i : null;
        drawCursor();
    }

    function onKey(event) {
        const moves = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
        if (data === null || !(event.key in moves))
            return;
        event.preventDefault();
        const last = data.times.length - 1;
        cursor = Math.max(0, Math.min(last, (cursor ?? last + 1) + moves[event.key]));
        drawCursor();
        tell(`${when(data.times[cursor])}: ` + data.series.map((one) =>
            `${one.name} ${spec.format(one.values[cursor] ?? 0)}`).join(", "));
    }

    function leave() {
        cursor = null;
        if (data !== null)
            drawCursor();
    }

    plot.addEventListener("pointermove", point);
    plot.addEventListener("pointerdown", point);
    plot.addEventListener("pointerleave", leave);
    plot.addEventListener("keydown", onKey);
    plot.addEventListener("blur", leave);
    more.addEventListener("toggle", drawTable);
    new ResizeObserver(draw).observe(plot);
    figure.draw = (next) => {
        if (data !== null && cursor !== null && next.times[0] !== data.times[0])
            cursor = null;
        data = next;
        draw();
    };
    return figure;
}

export const total = (values) => values.reduce((sum, value) => sum + (value || 0), 0);
export const last = (values) => values.findLast((value) => value !== null && value !== undefined);
