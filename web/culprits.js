// The clients, models and targets of the latest failures with an error code, from the audit.

import { get } from "/app/api.js";
import { said } from "/app/dom.js";
import { range } from "/app/range.js";

const LATEST = 50; // number of failures of each code that are read
const CODES_MAX = 5;
const NAMED_MAX = 3;

// Returns the names, the most frequent first.
function ranked(names) {
    const counts = new Map();
    for (const name of names.filter(Boolean))
        counts.set(name, (counts.get(name) || 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

// "clients app, web and 2 more"; null without names.
function listOf(one, many, names) {
    if (names.length === 0)
        return null;
    const shown = names.slice(0, NAMED_MAX);
    return [`${names.length > 1 ? many : one} `, ...shown.flatMap((name, i) => [i > 0 ? ", " : "", said(name)]),
        names.length > shown.length ? ` and ${names.length - shown.length} more` : ""];
}

// The error codes that clients received, most frequent first.
export const failuresOf = (stats) => (stats?.operations.code || []).filter((group) => group.name && group.failed > 0)
    .sort((a, b) => b.failed - a.failed).slice(0, CODES_MAX);

export class Culprits {
    // onChange is called after names have been added.
    constructor(onChange) {
        this.known = new Map();
        this.onChange = onChange;
    }

    // Queries the codes whose number of failures has changed.
    async update(stats) {
        const { id } = range();
        await Promise.all(failuresOf(stats).map(async ({ name, failed }) => {
            const mark = `${id} ${failed}`;
            if (this.known.get(name)?.mark === mark)
                return;
            const { operations } = await get("/admin/v1/operations", { outcome: "failed", code: name, since: id,
                limit: LATEST });
            this.known.set(name, { mark, clients: ranked(operations.map((one) => one.client)),
                models: ranked(operations.map((one) => one.model)),
                targets: ranked(operations.map((one) => one.target)) });
            this.onChange();
        }));
    }

    // A sentence for a code; null if no names are loaded.
    textOf(code) {
        const known = this.known.get(code);
        const parts = known === undefined ? [] : [listOf("model", "models", known.models),
            listOf("target", "targets", known.targets), listOf("client", "clients", known.clients)].filter(Boolean);
        return parts.length === 0 ? null : [". Latest: ", ...parts.flatMap((part, i) => [i > 0 ? "; " : "", part])];
    }
}
