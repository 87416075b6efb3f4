// The labelled failures, and the scoring of results.
import { readFileSync } from "node:fs";

export const WAIT_TOLERANCE_MS = 1000;

export function readCorpus(files) {
    const rows = [];
    for (const file of files) {
        for (const line of readFileSync(file, "utf8").split("\n")) {
            if (line.trim())
                rows.push(JSON.parse(line));
        }
    }
    return rows;
}

function accepted(row, field) {
    const values = [row.expect[field], ...(row.also_accept?.[field] ?? [])];
    return values.filter((value) => value !== undefined);
}

// Both results are correct where the labels allow transient and another category.
function acceptedRetries(row) {
    const values = accepted(row, "category").map((category) => category === "transient");
    if (typeof row.expect.retryable === "boolean")
        values[0] = row.expect.retryable;
    return values;
}

function share(right, of) {
    return of ? (100 * right) / of : null;
}

// answers: the results of one classifier, one per row: { retry, category?, codes?, wait? }. `says`:
// the names of the fields besides `retry` that the classifier provides. A row's code is right if
// any of `codes` matches.
export function judge(rows, answers, says) {
    const count = { retry: 0, sure: 0, sureRetry: 0, vain: 0, missed: 0, category: 0, code: 0,
        waits: 0, wait: 0, invented: 0 };
    const wrong = [];
    rows.forEach((row, i) => {
        const answer = answers[i];
        const right = acceptedRetries(row).includes(answer.retry);
        count.retry += right;
        if (!row.unsure) {
            count.sure++;
            count.sureRetry += right;
        }
        if (!right) {
            count.vain += answer.retry;
            count.missed += !answer.retry;
            wrong.push(row.id);
        }
        count.category += accepted(row, "category").includes(answer.category);
        count.code += accepted(row, "code").some((code) => answer.codes?.includes(code));
        const wait = row.expect.retry_after_ms ?? null;
        if (wait !== null) {
            count.waits++;
            count.wait += answer.wait != null && Math.abs(answer.wait - wait) <= WAIT_TOLERANCE_MS;
        } else {
            count.invented += answer.wait != null;
        }
    });
    return {
        retry: share(count.retry, rows.length),
        retry_sure: share(count.sureRetry, count.sure),
        retried_in_vain: count.vain,
        gave_up_wrongly: count.missed,
        category: says.includes("category") ? share(count.category, rows.length) : null,
        code: says.includes("code") ? share(count.code, rows.length) : null,
        wait: says.includes("wait") ? share(count.wait, count.waits) : null,
        waits_invented: says.includes("wait") ? count.invented : null,
        wrong,
    };
}

// Counts the rows that certainly have this code and got it, and the rows that got this code
// wrongly.
export function finds(rows, answers, code) {
    let of = 0;
    let found = 0;
    let falsely = 0;
    rows.forEach((row, i) => {
        const named = answers[i].codes?.includes(code) ?? false;
        if (row.expect.code === code) {
            of++;
            found += named;
        } else if (!accepted(row, "code").includes(code)) {
            falsely += named && answers[i].codes.length === 1;
        }
    });
    return { of, found, falsely };
}
