// compare.mjs --program BENCH_CLASSIFY --command RECOURSE --out JSON CORPUS...
//
// Compares Recourse with npm's classifiers on the same labelled failures, in one run.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { finds, judge, readCorpus } from "./corpus.mjs";
import { arrive } from "./evidence.mjs";
import { loadOhMyPi } from "./ohmypi.mjs";
import { runCommand, runProgram } from "./ours.mjs";
import { rivals } from "./rivals.mjs";
import { printTable } from "./table.mjs";
import { timeRivals } from "./time.mjs";

const OURS_SAY = ["category", "code", "wait", "overflow", "quota"];

function entry(name, version, rows, answers, says, times) {
    return {
        name,
        version,
        ...judge(rows, answers, says),
        overflow: says.includes("overflow") ? finds(rows, answers, "ContextOverflow") : null,
        quota: says.includes("quota") ? finds(rows, answers, "QuotaExhausted") : null,
        us_from_response: times.response ?? null,
        us_from_error: times.error ?? null,
    };
}

function sameAnswer(a, b) {
    return a.retry === b.retry && a.category === b.category && a.codes[0] === b.codes[0];
}

// An entry that cannot be run is left out of the table and listed below it.
function ours({ program, command }, files, rows) {
    const entries = [];
    const notes = [];
    const add = (name, answers, us) =>
        entries.push(entry(name, "", rows, answers, OURS_SAY, { response: us }));
    const attempt = (what, run) => {
        try {
            return run();
        } catch (error) {
            notes.push(`${what}: not measured: ${error.message}`);
            return undefined;
        }
    };
    const library = attempt("librecourse", () => runProgram(program, files));
    if (library) {
        add("recourse, report", library.answers, library.reportUs);
        add("recourse, verdict", library.answers, library.verdictUs);
    }
    const explain = attempt("recourse explain", () => runCommand(command, rows));
    if (explain) {
        add("recourse explain", explain.answers, explain.us);
        notes.push(`recourse explain: ${Math.round(1e6 / explain.us)} cases a second on one core`);
    }
    if (library && explain) {
        const others = rows.filter((_, i) => !sameAnswer(library.answers[i], explain.answers[i]));
        if (others.length > 0)
            notes.push(`library and explain differ in ${others.map((row) => row.id).join(" ")}`);
    }
    return { entries, notes };
}

function versionOf(name) {
    return JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
}

async function theirs(rows) {
    const calls = rows.map(arrive);
    const all = rivals(await loadOhMyPi());
    const answers = new Map();
    for (const rival of all) {
        const list = [];
        for (const call of calls) {
            const answer = await rival.ask(rival.prepare(call));
            list.push(rival.wait ? { ...answer, wait: await rival.wait(call) } : answer);
        }
        answers.set(rival, list);
    }
    const times = await timeRivals(all, calls);
    return all.map((rival) => entry(rival.name, versionOf(rival.package), rows, answers.get(rival),
        rival.says, times.get(rival)));
}

const text = { type: "string" };
const { values, positionals: files } = parseArgs({
    options: { program: text, command: text, out: text },
    allowPositionals: true,
});
const rows = readCorpus(files);
if (rows.length === 0)
    throw new Error("the corpus is empty");

const { entries, notes } = ours(values, files, rows);
const others = await theirs(rows);
others.sort((a, b) => b.retry - a.retry);
const base = entries[0]?.us_from_response;
for (const one of [...entries, ...others])
    one.times_ours = base ? one.us_from_response / base : null;

const waits = rows.filter((row) => row.expect.retry_after_ms != null).length;
const result = { rows: rows.length, waits, node: process.version, notes, ours: entries, others };
printTable(result);
if (values.out)
    writeFileSync(values.out, JSON.stringify(result, null, 2) + "\n");
