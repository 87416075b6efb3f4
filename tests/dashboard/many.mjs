// Tests with 1,200 targets, 600 keys and 1,000 budgets: rows shown, search, and redrawing.
import assert from "node:assert/strict";
import { gates, request } from "./gates.mjs";
import { Views, open, text, until } from "./browser.mjs";

const many = new Views("very many");
const rowsOf = (page, name) => page.getByRole("region", { name, exact: true }).locator("tbody tr");

many.view("shows the first targets and keys, problems first, and finds others by name", {}, async (page) => {
    const name = "p7/mock/ok-1027";
    await fetch(`${gates.many.admin}/admin/v1/targets/${name}/out`, { method: "POST", headers: { "x-recourse-admin": "1" } });
    await request("r777", { gate: gates.many });
    await open(page, "#/targets", gates.many.admin);
    const rows = rowsOf(page, "All targets");
    await until("the target with a problem is first, then the one with calls", async () => await rows.count() === 25 &&
        (await text(rows.first())).startsWith(`${name} ‖ out of service`) &&
        (await text(rows.nth(1))).startsWith("p0/mock/tokens-20"));
    assert.equal(await rowsOf(page, "Keys").count(), 25);
    const [height, nodes] = await page.evaluate(() =>
        [document.documentElement.scrollHeight, document.querySelectorAll("*").length]);
    assert.ok(height < 5000, `${height} pixels`);
    assert.ok(nodes < 3000, `${nodes} elements`);
    const section = page.getByRole("region", { name: "All targets" });
    assert.match(await text(section), /25 of 1,200/);
    await section.getByRole("button", { name: "Show 50 more" }).click();
    assert.equal(await rows.count(), 75);
    await section.getByRole("searchbox", { name: "Find targets by name" }).fill("P7/mock/ok-10");
    await until("only matching rows are left", async () => await rows.count() === 2);
    await rows.filter({ hasText: "ok-1087" }).getByRole("button", { name: "Take out" }).click();
    await page.keyboard.press("Escape");
    await section.getByRole("searchbox").fill("nobody");
    assert.equal(await text(rows), "No targets match this name.");
});

many.view("an unchanged state redraws nothing", {}, async (page) => {
    await open(page, "#/targets", gates.many.admin);
    await until("all is drawn", async () => await rowsOf(page, "Keys").count() === 25);
    const changed = await page.evaluate(async () => {
        const { gateway, publish } = await import("/app/gateway.js");
        const main = document.getElementById("main");
        const watch = new MutationObserver(() => {});
        const changes = (state) => {
            gateway.state = state;
            publish("state", state);
            return watch.takeRecords().flatMap(({ addedNodes }) => [...addedNodes])
                .filter((node) => node.nodeName === "TR").length;
        };
        const known = JSON.parse(JSON.stringify(gateway.state));
        changes(known);
        watch.observe(main, { childList: true, subtree: true });
        const shown = main.querySelector("tbody th bdi").textContent;
        const one = { ...known, targets: known.targets.map((target) => (target.target === shown
            ? { ...target, in_flight: target.in_flight + 7 } : target)) };
        return [changes(JSON.parse(JSON.stringify(known))), changes(one)];
    });
    assert.deepEqual(changed, [0, 1]);
});

many.view("sorts budgets by their used share", {}, async (page) => {
    await request("r777", { gate: gates.many });
    await open(page, "#/cost", gates.many.admin);
    const rows = rowsOf(page, "Budgets");
    await until("the most used budget is first", async () => await rows.count() === 10 &&
        /^route r777 /.test(await text(rows.first())));
    await page.getByRole("searchbox", { name: "Find budgets by name" }).fill("R998");
    await until("only matching rows are left", async () => await rows.count() === 1);
});

many.view("shows the first cards, and more on demand", {}, async (page) => {
    // Half of the targets have an open breaker.
    await page.addInitScript(() => {
        const parse = JSON.parse;
        JSON.parse = (...args) => {
            const data = parse(...args);
            data?.targets?.forEach((target, i) => {
                if (i % 2 === 0)
                    Object.assign(target, { state: "breaker_open", breaker: "open" });
            });
            return data;
        };
    });
    await open(page, "#/", gates.many.admin);
    await page.getByRole("button", { name: "Show more of" }).waitFor();
    assert.match(await text(page.locator(".verdict")), /^✕ 600 problems/);
    assert.equal(await page.locator(".item").count(), 6);
    await page.getByRole("button", { name: "Show more of" }).click();
    assert.equal(await page.locator(".item").count(), 50);
});

many.view("shows the newest of very many requests", {}, async (page) => {
    await request("r777", { gate: gates.many });
    await open(page, "#/requests", gates.many.admin);
    const rows = page.locator("table.requests tbody tr");
    await rows.first().waitFor();
    const drawn = await page.evaluate(async () => {
        const { gateway, publish } = await import("/app/gateway.js");
        let number = 0;
        new MutationObserver(() => number++).observe(document.querySelector("table.requests tbody"), { childList: true });
        for (let i = 0; i < 1000; i++) {
            publish("operation", { id: `rep_${i}`, outcome: "succeeded", model: `flood-${i}`, attempts: 1,
                began: new Date(new Date(gateway.state.now).getTime() + i) });
            if (i % 100 === 99)
                await new Promise((resolve) => setTimeout(resolve, 10));
        }
        while (!document.querySelector("table.requests tbody").textContent.includes("flood-999"))
            await new Promise((resolve) => setTimeout(resolve, 20));
        return number;
    });
    assert.ok(drawn <= 3, `drawn ${drawn} times`);
    assert.equal(await rows.count(), 100);
    assert.equal(await page.locator("table.requests .fresh").count(), 0);
    assert.match(await text(rows.first()), /flood-999/);
});

export const groups = [many];
