// Runs the tests of all SDKs against one gateway and one mock. With arguments, only the tests whose names
// contain one of the arguments are run.
import { groups as anthropic } from "./anthropic.mjs";
import { groups as curl } from "./curl.mjs";
import { groups as google } from "./google.mjs";
import { groups as openai } from "./openai.mjs";
import { forget, startServers, stopServers } from "./servers.mjs";
import { runAll } from "./tap.mjs";
import { groups as translation } from "./translation.mjs";

const all = [...openai, ...anthropic, ...google, ...translation, ...curl];
const wanted = process.argv.slice(2);
if (wanted.length > 0)
    for (const group of all)
        group.tests = group.tests.filter(({ name }) => wanted.some((word) => name.includes(word)));

let failed = 1;
try {
    await startServers();
    failed = await runAll(all, forget);
} catch (error) {
    console.log(`# ${error.message}`);
}
const complaints = await stopServers();
for (const line of complaints.join("\n").split("\n").filter(Boolean))
    console.log(`# ${line}`);
// Exits without waiting for timers and connections of the SDKs.
process.exit(failed > 0 || complaints.length > 0 ? 1 : 0);
