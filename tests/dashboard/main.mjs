// Runs the tests of the dashboard. Arguments select tests by parts of their names.
import { groups as access } from "./access.mjs";
import { groups as guard } from "./guard.mjs";
import { groups as headline } from "./headline.mjs";
import { groups as health } from "./health.mjs";
import { groups as many } from "./many.mjs";
import { groups as waiting } from "./waiting.mjs";
import { groups as views } from "./views.mjs";
import { startBrowser, stopBrowser } from "./browser.mjs";
import { startGates, stopGates } from "./gates.mjs";
import { runAll } from "./tap.mjs";

const all = [...views, ...headline, ...health, ...waiting, ...many, ...access, ...guard];
const wanted = process.argv.slice(2);
if (wanted.length > 0)
    for (const group of all)
        group.tests = group.tests.filter(({ name }) => wanted.some((word) => name.includes(word)));

let failed = 1;
try {
    await Promise.all([startBrowser(), startGates()]);
    failed = await runAll(all, async () => {});
} catch (error) {
    console.log(`# ${error.message}`);
}
await stopBrowser();
const complaints = await stopGates();
for (const line of complaints.join("\n").split("\n").filter(Boolean))
    console.log(`# ${line}`);
process.exit(failed > 0 || complaints.length > 0 ? 1 : 0);
