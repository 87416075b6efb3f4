// Tests of the cards for a failing target, for a budget that refuses requests, and for the clients concerned.
import assert from "node:assert/strict";
import { gates, request } from "./gates.mjs";
import { Views, open, text, until } from "./browser.mjs";

const health = new Views("health", { isOrdered: true });
const item = (page, title) => page.locator(".item", { hasText: title });
const shown = async (page) => {
    const more = page.getByRole("button", { name: /Show all/ });
    if (await more.isVisible())
        await more.click();
};

health.view("a target whose calls all fail is shown as failing", {}, async (page) => {
    for (let i = 0; i < 4; i++)
        assert.ok((await request("broken", { gate: gates.ill })).status >= 500);
    await open(page, "#/targets", gates.ill.admin);
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "good/mock/500" }) });
    await until("it is failing", async () => /failing All recent calls failed: .*, since /.test(await text(row)));
    assert.equal(await row.locator(".badge.good", { hasText: "up" }).count(), 0);
    await open(page, "#/", gates.ill.admin);
    const card = item(page, "good/mock/500 is failing");
    await card.waitFor();
    assert.match(await text(card), /All recent calls failed: .*, since .* Next step: Check its failed requests/);
    assert.match(await card.getAttribute("class"), /bad/);
});

health.view("the card of a failure names clients, models and targets", {}, async (page) => {
    await request("broken", { gate: gates.ill });
    await request("broken", { gate: gates.ill, isLong: true });
    await open(page, "#/", gates.ill.admin);
    const card = item(page, /requests failed: Provider/);
    await until("they are named", async () => /Latest: model broken; target good\/mock\/500; clients app, web/.test(await text(card)));
});

health.view("a client that repeats requests after a final error is named", {}, async (page) => {
    for (let i = 0; i < 3; i++)
        assert.equal((await request("nobody/none", { gate: gates.ill })).status, 404);
    await open(page, "#/", gates.ill.admin);
    await shown(page);
    const card = item(page, "app repeats requests that cannot succeed");
    await card.waitFor();
    assert.match(await text(card), /requests? (was|were) sent again unchanged .*Latest: .*Next step: Turn off retries/);
    assert.equal(await item(page, "web repeats").count(), 0);
});

health.view("a budget that refuses requests is not shown as nearly used up", {}, async (page) => {
    await until("it refuses", async () => (await request("steady", { gate: gates.ill })).status === 402);
    await open(page, "#/", gates.ill.admin);
    await shown(page);
    const card = item(page, "The budget pocket refuses requests");
    await card.waitFor();
    assert.match(await text(card), /\$[\d.]+ of \$0\.0010 spent\. The latest request was refused because it may cost more than the remaining amount\./);
    assert.doesNotMatch(await text(page.locator(".items")), /nearly used up/);
    await open(page, "#/cost", gates.ill.admin);
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: /budget pocket/ }) });
    assert.match(await text(row), /refuses requests/);
});

export const groups = [health];
