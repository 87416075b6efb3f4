// The comparison as a text table.
const percent = (value) => (value === null ? "-" : value.toFixed(1));
const count = (value) => (value === null ? "-" : String(value));
const found = (value) => (value === null ? "-" : `${value.found}/${value.of}`);
const micros = (value) => (value === null ? "-" : value.toFixed(value < 10 ? 2 : 1));
const times = (value) => (value === null ? "-" : `${value.toFixed(value < 10 ? 2 : 1)}x`);

const COLUMNS = [
    ["retry", "right %", 8, (one) => percent(one.retry)],
    ["in", "vain", 6, (one) => count(one.retried_in_vain)],
    ["gave", "up", 6, (one) => count(one.gave_up_wrongly)],
    ["cate-", "gory %", 8, (one) => percent(one.category)],
    ["code", "%", 7, (one) => percent(one.code)],
    ["wait", "%", 7, (one) => percent(one.wait)],
    ["over-", "flow", 8, (one) => found(one.overflow)],
    ["quota", "", 8, (one) => found(one.quota)],
    ["us", "a row", 8, (one) => micros(one.us_from_response)],
    ["times", "ours", 8, (one) => times(one.times_ours)],
    ["us, to", "judge", 8, (one) => micros(one.us_from_error)],
];
const NAME_WIDTH = 24;

function line(name, cells) {
    const padded = cells.map((cell, i) => cell.padStart(COLUMNS[i][2]));
    console.log((name.padEnd(NAME_WIDTH) + padded.join("")).trimEnd());
}

function printRows(entries) {
    for (const one of entries)
        line(`${one.name} ${one.version}`.trim(), COLUMNS.map(([, , , show]) => show(one)));
}

export function printTable({ rows, waits, node, notes, ours, others }) {
    console.log(`\nClassifiers on ${rows} labelled failures, ${waits} of them with a wait ` +
        `(CPU time, medians; Node ${node})\n`);
    line("", COLUMNS.map(([above]) => above));
    line("", COLUMNS.map(([, below]) => below));
    printRows(ours);
    console.log();
    printRows(others);
    console.log(`
in vain, gave up   rows that it would retry, or not retry, against the label
overflow, quota    found of those that are
us a row           from status, headers and body to the answer
us, to judge       from an error object made before the clock started
-                  it does not say`);
    for (const note of notes)
        console.log(note);
}
