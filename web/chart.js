// Charts over time as SVG: stacked bars and lines, with shapes from d3. The style sheet sets the colours, each chart
// has its numbers as a table, and the arrow keys move a cursor along the time.

import { area, line, max, nice, stack, sum, ticks } from "/app/d3.js";
import { el, fill, svg, announce } from "/app/dom.js";
import { moment, when } from "/app/format.js";
import { table } from "/app/table.js";

const HEIGHT = 168;
const PAD = { top: 8, right: 8, bottom: 22, left: 48 };
const LABEL_PX = 76; // minimum distance between two marks on the time axis
const LINES = 3;     // across

const isKnown = (value) => value !== null && value !== undefined;

const tops = {
    bars: (series, i) => sum(series, (one) => one.values[i]),
    lines: (series, i) => max(series, (one) => one.values[i]) ?? 0,
};

// spec: {title, kind: 'bars' | 'lines', format(value), mark(value), whole: counts alone, sum(values),
//        empty: text, note: text}; the area between the first two lines is a band
// draw({times, step, series: [{key, name, values}]}): a value is null where data is missing
export function chart(spec) {
    const legend = el("ul", { class: "legend" });
    const at = el("span", { class: "at" });
    const plot = el("div", { class: "plot", tabindex: "0", role: "img" });
    const more = el("details", { class: "data" }, el("summary", {}, "Show as table"));
    const empty = el("p", { class: "none", hidden: true }, spec.empty || "No data in this time range.");
    const figure = el("figure", { class: "panel chart" },
        el("figcaption", {}, el("h3", {}, spec.title), at), plot, empty, legend,
        spec.note ? el("p", { class: "note" }, spec.note) : null, more);
    let data = null;
    let cursor = null;
    let scale = null;

    const topOf = (i) => tops[spec.kind](data.series, i);
    const inWords = (value) => (isKnown(value) ? spec.format(value) : "none");
    const largest = () => max(data.times, (_, i) => topOf(i));
    const isEmpty = () => data.series.every((one) => one.values.every((value) => !value));

    function makeScale(width) {
        const [, most] = nice(0, largest() || 1, LINES);
        const inner = { width: width - PAD.left - PAD.right, height: HEIGHT - PAD.top - PAD.bottom };
        const slot = inner.width / data.times.length;
        return { most, slot, width,
            x: (i) => PAD.left + i * slot,
            y: (value) => PAD.top + inner.height * (1 - value / most) };
    }

    function gridOf({ most, width, y }) {
        return ticks(0, most, LINES).filter((value) => !spec.whole || Number.isInteger(value)).map((value) => [
            svg("line", { class: "grid", x1: PAD.left, x2: width - PAD.right, y1: y(value), y2: y(value) }),
            svg("text", { class: "mark", x: PAD.left - 6, y: y(value) + 3.5, "text-anchor": "end" },
                (spec.mark || spec.format)(value))]);
    }

    // Returns marks at round times of the local clock, as many as fit.
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

    // The bars are stacked in the order of the series.
    function barsOf({ x, y, slot }) {
        const gap = slot > 4 ? 1 : 0;
        const layers = stack().keys(data.series).value((_, one, i) => one.values[i] || 0)(data.times);
        return layers.map((layer) => svg("g", { class: "series", "data-series": layer.key.key },
            layer.map(([low, high], i) => (high > low ? svg("rect", { x: x(i) + gap / 2, y: y(high),
                width: Math.max(1, slot - gap), height: Math.max(0.8, y(low) - y(high)) }) : null))));
    }

    // The area between the first line and the second, where both have data.
    function bandOf({ x, y, slot }) {
        const [low, high] = data.series;
        if (high === undefined)
            return null;
        const shape = area().defined((_, i) => isKnown(low.values[i]) && isKnown(high.values[i]))
            .x((_, i) => x(i) + slot / 2).y0((_, i) => y(low.values[i])).y1((_, i) => y(high.values[i]));
        return svg("g", { class: "series band", "data-series": high.key }, svg("path", { d: shape(data.times) }));
    }

    // A line has gaps where data is missing; a single value is a point.
    function linesOf({ x, y, slot }) {
        const shape = line().defined(isKnown).x((_, i) => x(i) + slot / 2).y(y);
        const isAlone = (values, i) => isKnown(values[i]) && !isKnown(values[i - 1]) && !isKnown(values[i + 1]);
        return data.series.map(({ key, values }) => svg("g", { class: "series line", "data-series": key },
            svg("path", { d: shape(values) }),
            values.map((value, i) => (isAlone(values, i)
                ? svg("circle", { cx: x(i) + slot / 2, cy: y(value), r: 2.5 }) : null))));
    }

    // The legend shows the values at the cursor, otherwise the sums.
    function drawLegend() {
        fill(at, cursor !== null ? when(data.times[cursor]) : spec.kind === "lines" && !isEmpty() ? "latest" : null);
        fill(legend, data.series.map((one) => {
            const value = cursor !== null ? one.values[cursor] : spec.sum(one.values);
            return el("li", {}, el("span", { class: "swatch", "data-series": one.key,
                "aria-hidden": "true" }), `${one.name} `, el("b", {},
                isKnown(value) ? spec.format(value) : "–"));
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
        const parts = data.series.map((one) => `${one.name} ${inWords(spec.sum(one.values))}`);
        const most = largest();
        const peak = data.times.findIndex((_, i) => topOf(i) === most);
        return `${spec.title}: ${parts.join(", ")}.` + (isEmpty() ? "" :
            ` Peak: ${spec.format(most)} at ${when(data.times[peak])}.`);
    }

    function drawTable() {
        if (!more.open || data === null)
            return;
        const rows = data.times.map((time, i) => ({ time, i })).reverse();
        more.querySelector(".scroll")?.remove();
        more.append(table(spec.title, [{ name: "Time", cell: (row) => when(row.time) },
            ...data.series.map((one) => ({ name: one.name, class: "num", cell: (row) => {
                const value = one.values[row.i];
                return isKnown(value) ? spec.format(value) : "–";
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
        gridOf(scale), marksOf(scale), spec.kind === "bars" ? barsOf(scale) : [bandOf(scale), linesOf(scale)]));
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
        announce(`${when(data.times[cursor])}: ` + data.series.map((one) =>
            `${one.name} ${inWords(one.values[cursor])}`).join(", "));
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

export const total = (values) => sum(values);
export const last = (values) => values.findLast(isKnown);
