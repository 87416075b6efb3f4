// Tests with names, in groups, reported as TAP. The tests of a group run in parallel. Each test has
// a time limit, so that a test that hangs fails under its name.
import { AssertionError } from "node:assert";
import { inspect } from "node:util";

const SIDE_BY_SIDE = 12;
const LIMIT_MS = 300_000;

export class Group {
    constructor(name, { sideBySide = SIDE_BY_SIDE, limitMs = LIMIT_MS } = {}) {
        this.name = name;
        this.sideBySide = sideBySide;
        this.limitMs = limitMs;
        this.tests = [];
    }

    test(name, run) {
        this.tests.push({ name: `${this.name}: ${name}`, run });
    }
}

function limited({ run, name }, limitMs) {
    let timer;
    const limit = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`${name} did not end in ${limitMs} ms`)), limitMs);
    });
    return Promise.race([run(), limit]).finally(() => clearTimeout(timer));
}

// The message of a failed assertion is sufficient; for any other error the stack is printed, too.
function explain(error) {
    const text = error instanceof AssertionError ? `${error.message}\n${error.stack}` : inspect(error);
    return text.split("\n").slice(0, 60).map((line) => `#   ${line}`).join("\n");
}

let told = 0;
let failed = 0;

function tell(name, error) {
    told++;
    if (error === undefined) {
        console.log(`ok ${told} - ${name}`);
        return;
    }
    failed++;
    console.log(`not ok ${told} - ${name}\n${explain(error)}`);
}

async function runGroup(group) {
    const waiting = [...group.tests];
    const worker = async () => {
        for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
            await limited(one, group.limitMs).then(() => tell(one.name), (e) => tell(one.name, e ?? "nothing"));
    };
    await Promise.all(Array.from({ length: group.sideBySide }, worker));
}

// Returns the number of tests that failed. before: a function that is called before every group.
export async function runAll(groups, before) {
    console.log(`1..${groups.reduce((sum, group) => sum + group.tests.length, 0)}`);
    for (const group of groups) {
        await before(group);
        await runGroup(group);
    }
    return failed;
}
