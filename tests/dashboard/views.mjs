// Tests of each view: the shown data equals the gateway's data.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { LONG_NAME, admin, gates, request } from "./gates.mjs";
import { Views, open, text, until } from "./browser.mjs";

const overview = new Views("overview");

overview.view("its numbers are those of the audit", {}, async (page) => {
    const [answer] = await Promise.all([page.waitForResponse(/\/admin\/v1\/stats\?/), open(page)]);
    const { operations: { total }, attempts: { total: attempts } } = await answer.json();
    const tile = (name) => text(page.locator(".tile", { hasText: name }).locator("dd").first());
    await page.locator(".chart rect").first().waitFor();
    assert.ok(total.count > 400);
    assert.match(await tile("Requests"), new RegExp(`^${total.count} `));
    assert.match(await tile("Wasted calls"), new RegExp(`^${attempts.wasted} .* of ${attempts.count}$`));
    assert.match(await tile("Recovered"), new RegExp(` ${total.recovered} of ${total.faltered} with a failed attempt$`));
    assert.match(await tile("Success rate"), /^\d+(\.\d)? % /);
    assert.match(await tile("Cost"), /^\$/);
    assert.equal(await page.locator("figure.chart").count(), 4);
});

overview.view("shows each problem with its cause and the next step", {}, async (page) => {
    await open(page);
    await page.getByRole("button", { name: /Show all/ }).click();
    const item = (title) => page.locator(".item", { hasText: title });
    const key = await text(item("Key refused:1 was rejected"));
    assert.match(key, /Next step: Replace the key in the configuration/);
    assert.match(await text(item("Key poor:1 is exhausted")), /Used again in \d+ m/);
    assert.match(await text(item("limited/mock/429-retry-after-600 is cooling down")),
        /Rate limited\. Used again in \d+ m.*Next step: Wait/);
    assert.match(await text(item("spare/mock/503-retry-after-600 is cooling down")),
        /Overloaded\. Used again in \d+ m/);
    assert.match(await text(item("failed: Invalid request")), /Next step: Correct the request/);
    // The headline counts the cards.
    await until("the headline and the cards agree", async () => {
        const title = await text(page.locator(".verdict"));
        assert.match(title, /\d+ problems?/);
        const counts = await Promise.all([["bad", "problem"], ["warn", "warning"], ["info", "note"]].map(
            async ([tone, noun]) => [await page.locator(`.item.${tone}`).count(),
                Number(new RegExp(`(\\d+) ${noun}`).exec(title)?.[1] || 0)]));
        return counts[0][0] > 0 && counts[1][0] > 0 && counts.every(([cards, counted]) => cards === counted);
    });
});

overview.view("warns in words before a provider's limit is reached", {}, async (page) => {
    await open(page);
    const { status, id } = await request("near");
    assert.equal(status, 200);
    const { keys } = await admin("keys");
    const [quota] = keys.find((key) => key.id === "tight:1").quotas;
    assert.ok(quota.low && quota.remaining === 20 && quota.limit === 1000, JSON.stringify(quota));
    const item = page.locator(".item", { hasText: "Key tight:1 is near a limit of its provider" });
    await until("it is among what needs attention", async () => {
        const more = page.getByRole("button", { name: /Show all/ });
        if (await more.count() > 0)
            await more.click();
        return await item.count() === 1;
    });
    assert.match(await text(item), /20 of 1[,\s.]?000 requests left at tight\/mock\/quota-left-20\. Resets in \d+ [ms].*Next step: Send fewer/);
    await open(page, "#/targets");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "tight:1" }) });
    assert.match(await text(row), /healthy 20 of 1[,\s.]?000 requests left at tight\/mock\/quota-left-20, resets in \d+ [ms]/);
    assert.equal(await row.locator(".warn-text:visible").count(), 1);
    // The request whose response had the quota headers records it.
    await open(page, `#/requests/${id}`);
    const quotas = page.locator(".timeline tbody tr", { hasText: "is near its limit" });
    await quotas.waitFor();
    assert.match(await text(quotas), new RegExp("tight/mock/quota-left-20 with key tight:1 is near its limit of requests: " +
        "20 of 1000 are left, renews in 1m"));
});

overview.view("shows a failure and a failover as they happen", {}, async (page) => {
    await open(page);
    const feed = page.locator(".feed");
    const failed = (await request("wrong")).id;
    await request("spared");
    await until("both are in the feed", async () => /Invalid request/.test(await text(feed)) &&
        /spared → spare\/mock\/ok/.test(await text(feed)));
    assert.ok(failed, "the answer names its request");
    await feed.locator(`a[href$="${failed}"]`).waitFor();
    // Successes are hidden by default.
    assert.doesNotMatch(await text(feed), /steady/);
    await page.getByLabel("show successes").check();
    await request("steady");
    await until("the success is there", async () => /steady → good/.test(await text(feed)));
});

overview.view("draws charts with a text, a table and a cursor for keys", {}, async (page) => {
    await open(page);
    const chart = page.locator("figure.chart").first();
    await chart.locator("rect").first().waitFor();
    const plot = chart.locator(".plot");
    assert.match(await plot.getAttribute("aria-label"), /^Requests by outcome: ok \d+.*Peak: \d+/);
    await chart.getByText("Show as table").click();
    assert.equal(await chart.locator("table caption").innerText(), "Requests by outcome");
    assert.ok(await chart.locator("tbody tr").count() >= 50);
    await plot.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    assert.match(await chart.locator(".at").innerText(), /\d\d:\d\d:\d\d/);
    assert.match(await page.locator("#announced").innerText(), /ok \d+, recovered \d+, failed \d+/);
    await plot.hover({ position: { x: 400, y: 60 } });
    assert.equal(await chart.locator(".cursor").count(), 1);
});

overview.view("shows the selected time range", {}, async (page) => {
    await open(page);
    await page.locator(".chart rect").first().waitFor();
    const [answer] = await Promise.all([
        page.waitForResponse((response) => response.url().includes("/stats?") && response.url().includes("step=15s")),
        page.getByLabel("Time range").selectOption("15m"),
    ]);
    assert.equal(answer.status(), 200);
    await page.reload();
    assert.equal(await page.getByLabel("Time range").inputValue(), "15m");
});

overview.view("shows the last hour of a long range while the rest is loading", {}, async (page) => {
    let asked = 0;
    let go = () => {};
    const isLet = new Promise((resolve) => (go = resolve));
    await page.route(/\/admin\/v1\/stats\?/, async (route) => {
        if (++asked > 1)
            await isLet;
        await route.continue();
    });
    await page.addInitScript(() => localStorage.setItem("recourse.range", "7d"));
    await open(page);
    const note = page.getByText("This page shows the last hour; the rest of the time range is loading.");
    await note.waitFor();
    await page.locator(".chart rect").first().waitFor();
    // The chart has its whole width: the earlier days are empty.
    assert.ok(await page.locator("figure.chart").first().locator(".mark").count() > 6);
    assert.equal(asked, 2);
    go();
    await note.waitFor({ state: "hidden" });
    assert.match(await text(page.locator(".tile", { hasText: "Requests" })), /^Requests \d+/);
});

overview.view("says when the rest of a long range cannot be loaded", { allow: /503/ }, async (page) => {
    let asked = 0;
    await page.route(/\/admin\/v1\/stats\?/, (route) => (++asked === 2
        ? route.fulfill({ status: 503, contentType: "application/problem+json", body: '{"detail":"It took too long."}' })
        : route.continue()));
    await page.addInitScript(() => localStorage.setItem("recourse.range", "24h"));
    await open(page);
    await page.getByText("This page shows only the last hour: the rest of the time range could not be loaded.").waitFor();
    await page.getByText("It took too long.").waitFor();
    assert.ok(await page.locator(".chart rect").count() > 0);
});

overview.view("queries a range of one hour once", {}, async (page) => {
    const asked = [];
    page.on("request", (one) => one.url().includes("/stats?") && asked.push(one.url()));
    page.on("requestfailed", (one) => one.url().includes("/stats?") && asked.push("given up"));
    await open(page);
    await page.locator(".chart rect").first().waitFor();
    assert.equal(asked.length, 1);
});

overview.view("draws lines, a band between them, stacks, and an axis with round numbers", {}, async (page) => {
    await open(page);
    const latency = page.locator("figure.chart", { hasText: "Latency" });
    await latency.locator(".line path").first().waitFor();
    const shapes = await latency.locator(".series path").evaluateAll((all) => all.map((path) => path.getAttribute("d")));
    assert.equal(shapes.length, 3);
    shapes.forEach((shape) => assert.match(shape, /^M[\d.]+,[\d.]+[LZ]/));
    const first = page.locator("figure.chart", { hasText: "Time to the first token" });
    assert.match(await first.locator(".plot").getAttribute("aria-label"), /p50 .* p99 /);
    // A stacked bar begins where the one below it ends.
    const bars = page.locator("figure.chart").first();
    const places = await bars.locator("rect:not(.cursor)").evaluateAll((all) => all.map((rect) =>
        ["x", "y", "height"].map((name) => Number(rect.getAttribute(name)))));
    const [x] = places.find(([one], i) => places.slice(i + 1).some(([other]) => other === one));
    const [low, high] = places.filter(([other]) => other === x);
    assert.ok(Math.abs(high[1] + high[2] - low[1]) < 1, `${low} below ${high}`);
    const marks = await bars.locator(".mark[text-anchor=end]").allTextContents();
    assert.ok(marks.length >= 3 && marks[0] === "0", marks.join(" "));
});

const requests = new Views("requests");

requests.view("lists the requests of the audit, newest first, page by page", {}, async (page) => {
    await open(page, "#/requests");
    const rows = page.locator("table.requests tbody tr");
    await until("a page is there", async () => await rows.count() >= 50);
    const before = await rows.count();
    await page.getByRole("button", { name: "Load older requests" }).click();
    await until("the next page is there", async () => await rows.count() >= before + 50);
    const links = await page.locator("table.requests tbody a").evaluateAll((all) => all.map((link) => link.hash));
    assert.equal(new Set(links).size, links.length);
});

requests.view("filters by outcome, code, client and target, and keeps it in the address", {}, async (page) => {
    await open(page, "#/requests");
    const rows = page.locator("table.requests tbody tr");
    const status = page.getByRole("status").filter({ hasText: /shown|matches|No request/ });
    await page.getByLabel("Outcome").selectOption("failed");
    await page.getByLabel("Code").fill("QuotaExhausted");
    await page.getByLabel("Code").press("Enter");
    const { operations } = await admin("operations?outcome=failed&code=QuotaExhausted&since=1h&limit=50");
    assert.ok(operations.length > 1);
    await until("they are shown", async () => await rows.count() === operations.length);
    for (const row of await rows.all())
        assert.match(await text(row), /failed.*Quota exhausted/);
    assert.match(page.url(), /#\/requests\?outcome=failed&code=QuotaExhausted$/);
    await page.reload();
    await until("the same after a reload", async () => await rows.count() === operations.length);
    assert.equal(await page.getByLabel("Outcome").inputValue(), "failed");
    await page.getByLabel("Client").fill("nobody-at-all");
    await page.getByLabel("Client").press("Enter");
    await until("it says that nothing matches", async () => /No request matches/.test(await status.innerText()));
    await page.getByRole("button", { name: "Clear" }).click();
    await until("all again", async () => await rows.count() >= 50);
});

requests.view("names an invalid parameter", { allow: /400/ }, async (page) => {
    await open(page, "#/requests?code=Nonsense");
    await page.getByText("The parameter code cannot be \"Nonsense\".").waitFor();
});

requests.view("adds requests as they end", {}, async (page) => {
    await open(page, "#/requests?outcome=failed&model=wrong");
    const rows = page.locator("table.requests tbody tr");
    await until("the recorded requests are there", async () => await rows.count() >= 1);
    const { id } = await request("wrong");
    await request("steady");
    await page.locator(`table.requests a[href$="${id}"]`).waitFor();
    assert.match(await text(rows.first()), /failed wrong/);
    assert.doesNotMatch(await text(page.locator("table.requests")), /steady/);
});

const beganOf = (page) => page.locator("table.requests tbody time").evaluateAll((all) =>
    all.map((time) => Date.parse(time.dateTime)));

// The slow request begins first and ends last.
requests.view("orders requests by their start, not by their end", {}, async (page) => {
    await open(page, "#/requests");
    await page.locator("table.requests tbody a").first().waitFor();
    const slow = request("mock/slow-first-1");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const quick = await request("mock/ok");
    for (const { id } of [quick, await slow])
        await page.locator(`table.requests a[href$="${id}"]`).waitFor();
    const began = await beganOf(page);
    assert.deepEqual(began, [...began].sort((a, b) => b - a));
    assert.match(await text(page.locator("table.requests thead")), /^Began /);
});

requests.view("finds a request by the id in its response", {}, async (page) => {
    const { id } = await request("shaky");
    await open(page, "#/requests");
    // A request that has ended but is not drawn yet does not appear in the filtered list.
    await request("steady");
    await page.getByLabel("Request or report id").fill(id);
    await page.getByLabel("Request or report id").press("Enter");
    const rows = page.locator("table.requests tbody tr");
    await until("it alone is shown", async () => await rows.count() === 1);
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.equal(await rows.count(), 1);
    await rows.locator("a").click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    assert.ok((await text(page.locator("main"))).includes(id));
});

requests.view("a long name is shortened, and its tooltip has all of it", {}, async (page) => {
    await open(page, "#/requests");
    await page.locator("table.requests tbody a").first().waitFor();
    const { id } = await request("mock/ok", { isLong: true });
    const row = page.locator("table.requests tbody tr", { has: page.locator(`a[href$="${id}"]`) });
    const name = row.locator("td.client bdi");
    assert.equal(await name.getAttribute("title"), LONG_NAME);
    assert.equal(await name.textContent(), LONG_NAME);
    assert.ok((await name.boundingBox()).width <= 160);
    const over = await page.locator(".scroll", { has: page.locator("table.requests") })
        .evaluate((box) => box.scrollWidth - box.clientWidth);
    assert.ok(over <= 0, `the table is ${over} pixels too wide`);
});

const operation = new Views("one request");

operation.view("describes a recovered request", {}, async (page) => {
    const { operations: [{ id }] } = await admin("operations?outcome=recovered&model=spared&limit=1");
    await open(page, `#/requests/${id}`);
    const main = page.locator("main");
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    const story = await text(main);
    assert.match(story, /spare\/mock\/ok responded/);
    const rows = await page.locator(".timeline tbody tr").allInnerTexts();
    assert.ok(rows.some((row) => /Skipped|Switched to|Attempt 1/.test(row)), rows.join("\n"));
    assert.ok(rows.some((row) => /responded \(HTTP 200\)/.test(row)), rows.join("\n"));
    assert.match(await page.title(), /^re[pq]_/);
});

operation.view("shows a failure's cause, the next step and the provider's error", {}, async (page) => {
    const { operations: [{ id, report_id: report }] } = await admin("operations?outcome=failed&model=wrong&limit=1");
    await open(page, `#/requests/${id}`);
    await page.getByRole("heading", { name: "Error sent to the client" }).waitFor();
    const main = await text(page.locator("main"));
    assert.match(main, /app received Invalid request after 1 attempt\./);
    assert.match(main, /Fix request\. Correct the request/);
    assert.match(main, /Stopped: the same request would fail again/);
    assert.match(main, /Retry no: the request must change first/);
    await page.locator(".timeline summary", { hasText: "Provider’s error" }).click();
    await page.locator(".timeline summary", { hasText: "Raw response" }).click();
    assert.match(await page.locator(".timeline pre").innerText(), /"invalid_request_error"/);
    // The id of the report leads to the same page.
    await open(page, `#/requests/${report}`);
    await page.getByText("app received Invalid request").waitFor();
});

operation.view("describes a failover and a notice", {}, async (page) => {
    const { operations } = await admin("operations?since=10m&limit=100");
    const exhausted = operations.find((one) => one.outcome === "failed" && one.attempts > 2);
    await open(page, `#/requests/${exhausted.id}`);
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    assert.match(await text(page.locator(".timeline")), /Waited .*(Attempt 2|Attempt 3)/);
    const { operations: [notice] } = await admin("operations?outcome=notice&since=1h");
    await open(page, `#/requests/${notice.id}`);
    await page.getByText("taken out of service by the operator").waitFor();
    assert.match(await text(page.locator("h1")), /^openai\/gpt-4o ! notice$/);
});

operation.view("a wait for a budget names the budget", {}, async (page) => {
    const { operations: [{ id }] } = await admin("operations?outcome=succeeded&limit=1");
    const wait = { kind: "wait", seq: 1, at_ms: 0, wait_ms: 1500, reason: "budget_spent",
        reason_text: "a cost budget is used up", text: "client app" };
    await page.route(/\/admin\/v1\/operations\/re/, async (route) => {
        const response = await route.fetch();
        const { operation: facts, records } = await response.json();
        await route.fulfill({ response, json: { operation: facts, records: [wait, ...records] } });
    });
    await open(page, `#/requests/${id}`);
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    assert.match(await text(page.locator(".timeline")), /Waited 1\.50? s: a cost budget is used up \(client app\)/);
});

operation.view("says that the audit has no such request", { allow: /404/ }, async (page) => {
    await open(page, "#/requests/req_00000000000000000000000000");
    await page.getByText("The audit has no operation or report of this id.").waitFor();
    await page.getByRole("link", { name: "← Requests" }).click();
    await page.getByRole("heading", { name: "Requests" }).waitFor();
});

const targets = new Views("targets", { isOrdered: true });
const stateOf = async (name) => (await admin("targets")).targets.find((one) => one.target === name);

targets.view("shows states, countdowns, breakers and keys", {}, async (page) => {
    await open(page, "#/targets");
    const row = (name) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    const cooling = row("limited/mock/429-retry-after-600");
    assert.match(await text(cooling),
        /cooling down Rate limited\. Used again in \d+ m \d+ s ● closed/);
    const clock = cooling.locator("td .clock");
    const before = await clock.innerText();
    await until("the countdown runs", async () => await clock.innerText() !== before);
    assert.match(await text(row("refused:1")), /rejected Retry/);
    assert.match(await text(row("poor:1")), /exhausted for \d+ m/);
    assert.match(await text(row("good:1")), /healthy/);
    assert.match(await text(row("limited:1")), /healthy limited at 1 target/);
    assert.match(await text(page.locator("main")), /Retry budget.*main\.yaml, generation 1/);
});

// This gateway has no audit, so queries return 404.
targets.view("reloads, and names the keys that need a restart", { allow: /404/ }, async (page) => {
    const before = readFileSync("bare.yaml", "utf8");
    const reload = async () => {
        await page.goto(`${gates.bare.admin}/#/targets`);
        await page.getByRole("button", { name: "Reload" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Reload" }).click();
        const announced = page.locator("#announced");
        await until("the result is announced", async () => /was reloaded/.test(await text(announced)));
        return text(announced);
    };
    writeFileSync("bare.yaml", before.replace("threads: 1", "threads: 2\nlimits: {max_connections: 99}"));
    assert.match(await reload(), /was reloaded\. These changed keys need a restart: threads, limits\.max_connections\.$/);
    await page.goto(`${gates.bare.admin}/#/`);
    const card = page.locator(".item", { hasText: "Configuration changes need a restart" });
    assert.match(await text(card), /Changed keys that take effect after a restart: threads, limits\.max_connections\./);
    assert.equal(await text(page.locator(".verdict")),
        "! 1 warning; request statistics are unavailable: the audit is off");
    writeFileSync("bare.yaml", before);
    await page.reload();
    assert.match(await reload(), /was reloaded\.$/);
    await page.goto(`${gates.bare.admin}/#/`);
    await until("the card is gone", async () => await card.count() === 0 &&
        /^– Request statistics are unavailable/.test(await text(page.locator(".verdict"))));
});

targets.view("takes one out and puts it back, by keyboard, with a reason", {}, async (page) => {
    const name = "good/mock/503@1/2";
    await open(page, "#/targets");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    await row.getByRole("button", { name: "Take out" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    assert.match(await text(dialog), /Take good\/mock\/503@1\/2 out of service\?/);
    await page.keyboard.press("Escape");
    assert.equal(await dialog.count(), 0);
    assert.equal((await stateOf(name)).out_of_service, false);
    // The focus is back on the button.
    await page.keyboard.press("Enter");
    await page.keyboard.type("too slow <b>");
    await page.keyboard.press("Enter");
    await until("it is out", async () => (await stateOf(name)).out_of_service);
    await page.locator("h1").click();
    await row.locator("td .badge", { hasText: "out of service" }).waitFor();
    const { operations: [notice] } = await admin("operations?outcome=notice&limit=1");
    assert.match(notice.text, /taken out of service by 127\.0\.0\.1: too slow <b>/);
    await row.getByRole("button", { name: "Put back" }).click();
    await dialog.getByRole("button", { name: "Put back" }).click();
    await until("it is back", async () => !(await stateOf(name)).out_of_service);
    // The notice names its target.
    await open(page, "#/requests?outcome=notice");
    const notices = page.locator("table.requests tbody tr", { hasText: "too slow <b>" });
    assert.match(await text(notices), /notice good\/mock\/503@1\/2 .*taken out of service/);
    await open(page, `#/requests/${notice.id}`);
    await page.getByRole("heading", { name: `${name} notice` }).waitFor();
});

targets.view("makes a rejected key usable again", {}, async (page) => {
    await request("refused");
    await open(page, "#/targets");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "refused:1" }) });
    await row.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
    await until("it is healthy", async () =>
        (await admin("keys")).keys.find((key) => key.id === "refused:1").state === "healthy");
    await page.locator("h1").click();
    await row.locator(".badge:visible", { hasText: "healthy" }).waitFor();
    await request("refused");
});

const cost = new Views("cost", { isOrdered: true });

const sheetRows = (page, name) => page.getByRole("region", { name, exact: true }).locator("tbody tr");

cost.view("adds up by model, client and target", {}, async (page) => {
    await open(page, "#/cost");
    await page.locator(".chart rect").first().waitFor();
    const { operations, attempts } = await admin("stats?since=1h&by=model,client,target");
    for (const [name, groups] of [["Model", operations.model], ["Client", operations.client],
        ["Target", attempts.target]])
        await until(`all rows of ${name}`, async () => await sheetRows(page, name).count() >= groups.length);
    assert.match(await text(page.locator(".tile").first()), /Cost \$\d/);
});

// limited/… fails, then spare/mock/ok responds: the wasted call counts for limited/….
cost.view("counts calls and wasted calls for the target that was called", {}, async (page) => {
    await request("spared");
    await open(page, "#/cost");
    const row = (name) => sheetRows(page, "Target").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
    const { attempts: { total, target } } = await admin("stats?since=1h&by=target");
    const of = (name) => target.find((group) => group.name === name);
    assert.ok(of("limited/mock/429-retry-after-600").wasted > 0 && !of("spare/mock/ok").wasted);
    assert.equal(target.reduce((sum, group) => sum + group.count, 0), total.count);
    await row("limited/mock/429-retry-after-600").waitFor();
    assert.match(await text(row("limited/mock/429-retry-after-600")), / 100 % –$/);
    assert.match(await text(row("spare/mock/ok")), / 0 % no price$/);
});

cost.view("shows which part of a cost is estimated", {}, async (page) => {
    const { id } = await request("evil-silent");
    await open(page, "#/cost");
    let silent;
    let total;
    await until("the audit has it", async () => {
        const { operations, attempts } = await admin("stats?since=1h&by=target");
        total = operations.total;
        silent = attempts.target.find((group) => group.name === "evil/evil-silent");
        return silent !== undefined;
    });
    assert.ok(total.estimated_usd > 0 && total.estimated_usd < total.cost_usd);
    assert.equal(silent.estimated_usd, silent.cost_usd);
    const row = sheetRows(page, "Target").filter({ has: page.getByRole("rowheader", { name: "evil/evil-silent" }) });
    assert.match(await text(row), /≈ \$0\.\d+ ?, \$0\.\d+ of it estimated$/);
    assert.match(await text(page.locator(".tile").first()), /^Cost ≈ \$.* per request, \$0\.\d+ of it estimated/);
    await page.getByText("≈ marks an amount that is partly or fully estimated").waitFor();
    assert.match(await text(page.locator("figure.chart").first().locator(".legend")), /^measured \$.* estimated \$0\.\d+$/);
    const plain = sheetRows(page, "Target").filter({ has: page.getByRole("rowheader", { name: "good/mock/tokens-20" }) });
    assert.doesNotMatch(await text(plain), /≈/);
    await open(page, "#/");
    await until("the overview says so", async () => /^Cost ≈ \$/.test(await text(page.locator(".tile").last())));
    await open(page, `#/requests/${id}`);
    await page.getByText(/tokens in, \d+ out \(estimated\) · ≈ \$/).waitFor();
    await open(page, `#/requests?id=${id}`);
    assert.match(await text(page.locator("table.requests tbody tr")), /≈ \$/);
});

cost.view("marks sums and budgets that do not include calls without a price", {}, async (page) => {
    await request("spared");
    await until("the audit has it", async () => (await admin("stats?since=1h&by=target")).attempts.total.unpriced > 0);
    await open(page, "#/cost");
    await page.locator(".tile").first().getByText(/excludes [\d,.]+ k? ?calls? without a price$/).waitFor();
    const row = (name) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    await row(/^spared$/).getByText("no price", { exact: true }).waitFor();
    await row(/client app/).getByText(/^not counted: [\d,.]+ calls? without a price$/).waitFor();
});

cost.view("shows budgets and raises one", {}, async (page) => {
    await open(page, "#/cost");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: /client app/ }) });
    assert.match(await text(row), /\$10\.00 per month, on_exceed: warn/);
    await row.getByRole("button", { name: "Raise" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Raise" }).click();
    assert.equal(await dialog.count(), 1); // an amount is needed
    await dialog.getByLabel("Dollars to add").fill("2.5");
    await dialog.getByRole("button", { name: "Raise" }).click();
    await until("it is raised", async () =>
        (await admin("budgets")).budgets.find((one) => one.scope === "client app").limit_usd === 12.5);
    await page.locator("h1").click();
    await row.locator("td").getByText("raised by $2.50").waitFor();
    // A budget that is used up has a card.
    for (let i = 0; i < 5; i++)
        await request("steady");
    await open(page, "#/");
    await page.getByRole("button", { name: /Show all/ }).click();
    await page.locator(".item", { hasText: "The budget steady-a-day is" }).waitFor();
});

const explain = new Views("explain");

explain.view("classifies a pasted failure and shows how", {}, async (page) => {
    await open(page, "#/explain");
    await page.getByLabel("Error text").fill("HTTP/1.1 429 Too Many Requests\nretry-after: 20\n\n" +
        '{"error":{"message":"Rate limit reached for gpt-4o","code":"rate_limit_exceeded"}}');
    await page.getByRole("button", { name: "Explain" }).click();
    const verdict = page.getByRole("heading", { name: /Rate limited/ });
    await verdict.waitFor();
    assert.match(await verdict.innerText(), /retry after 20 s/);
    assert.ok(await verdict.evaluate((heading) => heading === document.activeElement));
    await page.getByText("How the failure was classified").click();
    assert.match(await text(page.locator(".why")), /Matching rule rate\.\w+/);
    assert.match(await text(page.locator("main")), /Read as an HTTP response, status 429, 1 header/);
});

explain.view("classifies the end of a long text and redacts keys", { allow: /400/ }, async (page) => {
    await open(page, "#/explain");
    const box = page.getByLabel("Error text");
    const go = page.getByRole("button", { name: "Explain" });
    await go.click();
    await page.locator(".bad-text", { hasText: "There is nothing to explain." }).waitFor();
    // The text is set directly, because typing it would take long.
    await box.evaluate((area) => {
        area.value = `${"INFO all is well\n".repeat(6000)}401 Incorrect API key provided: sk-proj-` +
            "abcdefghijklmnopqrstuvwxyz0123456789ABCD\n";
    });
    await go.click();
    await page.getByRole("heading", { name: /Auth failed/ }).waitFor();
    const main = await text(page.locator("main section"));
    assert.match(main, /The text was too long: only its end was classified\./);
    assert.doesNotMatch(main, /abcdefghijklmnopqrstuvwxyz/);
});

explain.view("uses a given provider and status", {}, async (page) => {
    await open(page, "#/explain");
    await page.getByLabel("HTTP status").fill("503");
    await page.getByLabel("Provider (optional)").fill("groq");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("groq").first().waitFor();
    assert.match(await text(page.locator("main section h2")), /retryable/);
});

const bare = new Views("without an audit");

bare.view("says that the audit is off, and shows everything else", { allow: /404/ }, async (page) => {
    await open(page, "#/requests", gates.bare.admin);
    await page.getByText("This gateway stores no audit.").waitFor();
    await open(page, "#/targets", gates.bare.admin);
    await page.getByRole("rowheader", { name: "good/mock/ok" }).waitFor();
    assert.match(await text(page.locator("main")), /Audit off/);
    await open(page, "#/", gates.bare.admin);
    await page.getByText("This gateway stores no audit.").waitFor();
    // Without statistics the headline is not green.
    const verdict = page.locator(".verdict");
    assert.equal(await text(verdict), "– Request statistics are unavailable: the audit is off");
    assert.match(await verdict.getAttribute("class"), /\bdim\b/);
});

export const groups = [overview, requests, operation, targets, cost, explain, bare];
