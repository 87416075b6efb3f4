// Tests of the panel of waiting requests, and of the learned limits of keys.
import assert from "node:assert/strict";
import { gates, request } from "./gates.mjs";
import { Views, open, text, until } from "./browser.mjs";

const waiting = new Views("waiting", { isOrdered: true });
const panel = (page) => page.getByRole("region", { name: "Waiting requests" });

waiting.view("nothing is shown when nothing waits", {}, async (page) => {
    await open(page, "#/", gates.calm.admin);
    assert.equal(await panel(page).count(), 0);
});

waiting.view("requests that wait are listed with what they wait for", {}, async (page) => {
    // The first request is refused for a minute, so the next ones wait.
    const first = request("held", { gate: gates.busy, leaves: 2000 });
    const state = async () => (await fetch(`${gates.busy.admin}/admin/v1/state`)).json();
    await until("the target is closed", async () =>
        (await state()).targets.some((target) => target.target === "good/mock/429-retry-after-60" && target.state === "cooling"));
    await first;
    await until("the first request has left", async () => (await state()).waiting.requests === 0);
    const held = [request("held", { gate: gates.busy, leaves: 60_000 }), request("held", { gate: gates.busy, leaves: 60_000 })];
    await until("both wait", async () => (await state()).waiting.requests === 2);
    await open(page, "#/", gates.busy.admin);
    await panel(page).waitFor();
    assert.match(await text(panel(page)), /req_\S+ held for app good\/mock\/429-retry-after-60 .*2 requests of at most/);
    assert.equal(await panel(page).getByRole("row").count(), 3);
    if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/waiting.png`, fullPage: true });
    // The operator takes the target out of service: the requests end, and the panel disappears.
    await fetch(`${gates.busy.admin}/admin/v1/targets/good/mock/429-retry-after-60/out`, { method: "POST", body: "{}",
        headers: { "x-recourse-admin": "1" } });
    await until("the panel is gone", async () => !await panel(page).isVisible());
    await Promise.all(held);
});

waiting.view("learned limits of a key are shown", {}, async (page) => {
    assert.equal((await request("left", { gate: gates.busy })).status, 200);
    await open(page, "#/targets", gates.busy.admin);
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: /good:1/ }) });
    await until("the limit is shown", async () =>
        /estimate for now: (9\d\d|1,000) of 1,000 requests left at good\/mock\/quota-left-900/.test(await text(row)));
    if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/learned.png`, fullPage: true });
});

export const groups = [waiting];
