// Recourse itself: its results and times, in-process by bench_classify and as a command.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const INPUT_KEYS = ["id", "provider", "family", "model", "status", "headers", "body", "event",
    "transport", "phase", "replayable"];
const COMMAND_ROWS = 20000;
const COMMAND_ROUNDS = 5;

function answer(report) {
    const wait = report.provider_metadata?.retry_after_ms ?? report.retry_after_ms;
    return { retry: report.retryable === true, category: report.error_category,
        codes: [report.error_code], wait };
}

export function runProgram(program, files) {
    const run = spawnSync(program, ["--json", ...files], { encoding: "utf8", maxBuffer: 1 << 30 });
    if (run.status !== 0)
        throw new Error(run.error?.message ?? run.stderr.trim());
    const result = JSON.parse(run.stdout);
    return { verdictUs: result.verdict_us, reportUs: result.report_us,
        answers: result.answers.map(answer) };
}

// Copies only the input fields, not the labels.
function inputLine(row) {
    const given = INPUT_KEYS.filter((key) => row[key] != null).map((key) => [key, row[key]]);
    return JSON.stringify(Object.fromEntries(given));
}

// User and system time of the whole command, start included, in seconds.
function commandCpuSeconds(command, file) {
    const script = 'TIMEFORMAT="%U %S"; time "$0" explain --jsonl <"$1" >/dev/null';
    const run = spawnSync("bash", ["-c", script, command, file], { encoding: "utf8" });
    const [user, system] = run.stderr.trim().split("\n").at(-1).split(" ").map(Number);
    return user + system;
}

export function runCommand(command, rows) {
    const lines = rows.map(inputLine).join("\n") + "\n";
    const run = spawnSync(command, ["explain", "--jsonl"],
        { input: lines, encoding: "utf8", maxBuffer: 1 << 30 });
    if (run.error || !run.stdout)
        throw new Error(run.error?.message ?? run.stderr.trim().split("\n")[0]);
    const reports = run.stdout.trim().split("\n").map((line) => JSON.parse(line));
    if (reports.length !== rows.length || reports.some((report, i) => report.id !== rows[i].id))
        throw new Error(`${reports.length} answers, not one a row in order`);

    const folder = mkdtempSync(join(tmpdir(), "bench-classify-"));
    try {
        const file = join(folder, "rows.jsonl");
        const passes = Math.ceil(COMMAND_ROWS / rows.length);
        writeFileSync(file, lines.repeat(passes));
        const seconds = [];
        for (let round = 0; round < COMMAND_ROUNDS; round++)
            seconds.push(commandCpuSeconds(command, file));
        seconds.sort((a, b) => a - b);
        const us = (seconds[COMMAND_ROUNDS >> 1] * 1e6) / (passes * rows.length);
        return { us, answers: reports.map(answer) };
    } finally {
        rmSync(folder, { recursive: true });
    }
}
