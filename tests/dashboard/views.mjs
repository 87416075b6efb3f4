// What each view shows, against what the gateway says.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { LONG_NAME, admin, gates, request } from "./gates.mjs";
import { Views, open, text, until } from "./browser.mjs";

const overview = new Views("overview");

overview.view("its numbers are those of the audit", {}, async (page) => {
    const [answer] = await Promise.all([page.waitForResponse(/\/admin\/v1\/stats\?/), open(page)]);
    const { operations: { total }, attempts: { total: tries } } = await answer.json();
    const tile = (name) => text(page.locator(".tile", { hasText: name }).locator("dd").first());
    await page.locator(".chart rect").first().waitFor();
    assert.ok(total.count > 400);
    assert.match(await tile("Requests"), new RegExp(`^${total.count} `));
    assert.match(await tile("Wasted calls"), new RegExp(`^${tries.wasted} .* of ${tries.count}$`));
    assert.match(await tile("Recovered"), new RegExp(` ${total.recovered} of ${total.faltered} in trouble$`));
    assert.match(await tile("Answered"), /^\d+(\.\d)? % /);
    assert.match(await tile("Cost"), /^\$/);
    assert.equal(await page.locator("figure.chart").count(), 4);
});

overview.view("says what needs attention, why, and what to do", {}, async (page) => {
    await open(page);
    await page.getByRole("button", { name: /Show all/ }).click();
    const item = (title) => page.locator(".item", { hasText: title });
    const key = await text(item("Key refused:1 was refused"));
    assert.match(key, /Do: Put a good key into its place/);
    assert.match(await text(item("Key poor:1 is used up")), /Asked again in \d+ m/);
    assert.match(await text(item("limited/mock/429-retry-after-600 is cooling down")),
        /Rate limited\. Asked again in \d+ m.*Do: Wait/);
    assert.match(await text(item("spare/mock/503-retry-after-600 is cooling down")),
        /Overloaded\. Asked again in \d+ m/);
    assert.match(await text(item("failed: Invalid request")), /Do: Correct the request/);
    // What the title counts are the cards.
    await until("the title and the cards agree", async () => {
        const title = await text(page.locator(".verdict"));
        assert.match(title, /problems?.* to look at/);
        const counts = await Promise.all([["bad", "problem"], ["warn", "warning"], ["info", "note"]].map(
            async ([tone, noun]) => [await page.locator(`.item.${tone}`).count(),
                Number(new RegExp(`(\\d+) ${noun}`).exec(title)?.[1] || 0)]));
        return counts[0][0] > 0 && counts[1][0] > 0 && counts.every(([cards, told]) => cards === told);
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
    assert.match(await text(item), /20 of 1[,\s.]?000 requests left at tight\/mock\/quota-left-20\. Renewed in \d+ [ms].*Do: Send fewer/);
    await open(page, "#/targets");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "tight:1" }) });
    assert.match(await text(row), /healthy 20 of 1[,\s.]?000 requests left at tight\/mock\/quota-left-20, renewed in \d+ [ms]/);
    assert.equal(await row.locator(".warn-text:visible").count(), 1);
    // It is on record with the request that heard of it.
    await open(page, `#/requests/${id}`);
    const told = page.locator(".timeline tbody tr", { hasText: "is near its limit" });
    await told.waitFor();
    assert.match(await text(told), new RegExp("tight/mock/quota-left-20 with key tight:1 is near its limit of requests: " +
        "20 of 1000 are left, renewed in 1m"));
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
    // A plain success is for those who want it.
    assert.doesNotMatch(await text(feed), /steady/);
    await page.getByLabel("successes too").check();
    await request("steady");
    await until("the success is there", async () => /steady → good/.test(await text(feed)));
});

overview.view("draws charts with a text, a table and a cursor for keys", {}, async (page) => {
    await open(page);
    const chart = page.locator("figure.chart").first();
    await chart.locator("rect").first().waitFor();
    const plot = chart.locator(".plot");
    assert.match(await plot.getAttribute("aria-label"), /^Requests by outcome: ok \d+.*The most at once: \d+/);
    await chart.getByText("As a table").click();
    assert.equal(await chart.locator("table caption").innerText(), "Requests by outcome");
    assert.ok(await chart.locator("tbody tr").count() >= 50);
    await plot.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    assert.match(await chart.locator(".at").innerText(), /\d\d:\d\d:\d\d/);
    assert.match(await page.locator("#told").innerText(), /ok \d+, recovered \d+, failed \d+/);
    await plot.hover({ position: { x: 400, y: 60 } });
    assert.equal(await chart.locator(".cursor").count(), 1);
});

overview.view("shows another time when asked to", {}, async (page) => {
    await open(page);
    await page.locator(".chart rect").first().waitFor();
    const [answer] = await Promise.all([
        page.waitForResponse((response) => response.url().includes("/stats?") && response.url().includes("step=15s")),
        page.getByLabel("Time shown").selectOption("15m"),
    ]);
    assert.equal(answer.status(), 200);
    await page.reload();
    assert.equal(await page.getByLabel("Time shown").inputValue(), "15m");
});

overview.view("shows the last hour of a long time while the rest is added up", {}, async (page) => {
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
    const note = page.getByText("So far of the last hour; the rest is being added up.");
    await note.waitFor();
    await page.locator(".chart rect").first().waitFor();
    // The chart has its whole width already: the days before are empty.
    assert.ok(await page.locator("figure.chart").first().locator(".mark").count() > 6);
    assert.equal(asked, 2);
    go();
    await note.waitFor({ state: "hidden" });
    assert.match(await text(page.locator(".tile", { hasText: "Requests" })), /^Requests \d+/);
});

overview.view("says so when the rest of a long time cannot be had", { allow: /503/ }, async (page) => {
    let asked = 0;
    await page.route(/\/admin\/v1\/stats\?/, (route) => (++asked === 2
        ? route.fulfill({ status: 503, contentType: "application/problem+json", body: '{"detail":"It took too long."}' })
        : route.continue()));
    await page.addInitScript(() => localStorage.setItem("recourse.range", "24h"));
    await open(page);
    await page.getByText("Of the last hour alone: the rest could not be added up.").waitFor();
    await page.getByText("It took too long.").waitFor();
    assert.ok(await page.locator(".chart rect").count() > 0);
});

overview.view("an hour is asked for once", {}, async (page) => {
    const asked = [];
    page.on("request", (one) => one.url().includes("/stats?") && asked.push(one.url()));
    page.on("requestfailed", (one) => one.url().includes("/stats?") && asked.push("given up"));
    await open(page);
    await page.locator(".chart rect").first().waitFor();
    assert.equal(asked.length, 1);
});

overview.view("draws lines, a band between them and stacks, with round numbers beside them", {}, async (page) => {
    await open(page);
    const latency = page.locator("figure.chart", { hasText: "Latency" });
    await latency.locator(".line path").first().waitFor();
    const shapes = await latency.locator(".series path").evaluateAll((all) => all.map((path) => path.getAttribute("d")));
    assert.equal(shapes.length, 3);
    shapes.forEach((shape) => assert.match(shape, /^M[\d.]+,[\d.]+[LZ]/));
    const first = page.locator("figure.chart", { hasText: "Time to the first token" });
    assert.match(await first.locator(".plot").getAttribute("aria-label"), /p50 .* p99 /);
    // What stands on something begins where that ends.
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

requests.view("lists what the audit has, the newest first, page by page", {}, async (page) => {
    await open(page, "#/requests");
    const rows = page.locator("table.requests tbody tr");
    await until("a page is there", async () => await rows.count() >= 50);
    const before = await rows.count();
    await page.getByRole("button", { name: "Older ones" }).click();
    await until("the next page is there", async () => await rows.count() >= before + 50);
    const links = await page.locator("table.requests tbody a").evaluateAll((all) => all.map((link) => link.hash));
    assert.equal(new Set(links).size, links.length);
});

requests.view("filters by outcome, code, client and target, and keeps it in the address", {}, async (page) => {
    await open(page, "#/requests");
    const rows = page.locator("table.requests tbody tr");
    const status = page.getByRole("status").filter({ hasText: /shown|fits|No request/ });
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
    await until("it says that nothing fits", async () => /No request fits/.test(await status.innerText()));
    await page.getByRole("button", { name: "Clear" }).click();
    await until("all again", async () => await rows.count() >= 50);
});

requests.view("names a parameter that makes no sense", { allow: /400/ }, async (page) => {
    await open(page, "#/requests?code=Nonsense");
    await page.getByText("The parameter code cannot be \"Nonsense\".").waitFor();
});

requests.view("adds what ends while one looks", {}, async (page) => {
    await open(page, "#/requests?outcome=failed&model=wrong");
    const rows = page.locator("table.requests tbody tr");
    await until("those of before are there", async () => await rows.count() >= 1);
    const { id } = await request("wrong");
    await request("steady");
    await page.locator(`table.requests a[href$="${id}"]`).waitFor();
    assert.match(await text(rows.first()), /failed wrong/);
    assert.doesNotMatch(await text(page.locator("table.requests")), /steady/);
});

const beganOf = (page) => page.locator("table.requests tbody time").evaluateAll((all) =>
    all.map((time) => Date.parse(time.dateTime)));

// The slow one begins first and ends last.
requests.view("stands in the order of the time that is shown, whatever ends first", {}, async (page) => {
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

requests.view("finds a request by the id that its client was told", {}, async (page) => {
    const { id } = await request("shaky");
    await open(page, "#/requests");
    // One that ended and is not drawn yet does not come in by the back door.
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

requests.view("a long name is shortened, and the whole of it is there", {}, async (page) => {
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

operation.view("tells the story of a recovery in words", {}, async (page) => {
    const { operations: [{ id }] } = await admin("operations?outcome=recovered&model=spared&limit=1");
    await open(page, `#/requests/${id}`);
    const main = page.locator("main");
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    const story = await text(main);
    assert.match(story, /spare\/mock\/ok answered/);
    const rows = await page.locator(".timeline tbody tr").allInnerTexts();
    assert.ok(rows.some((row) => /Passed over|Went on to|Try 1/.test(row)), rows.join("\n"));
    assert.ok(rows.some((row) => /answered \(HTTP 200\)/.test(row)), rows.join("\n"));
    assert.match(await page.title(), /^re[pq]_/);
});

operation.view("tells why a failure is one, what to do, and what the provider said", {}, async (page) => {
    const { operations: [{ id, report_id: report }] } = await admin("operations?outcome=failed&model=wrong&limit=1");
    await open(page, `#/requests/${id}`);
    await page.getByRole("heading", { name: "What the client was told" }).waitFor();
    const main = await text(page.locator("main"));
    assert.match(main, /app got Invalid request after 1 try\./);
    assert.match(main, /Fix request\. Correct the request/);
    assert.match(main, /Stopped: the failure would repeat itself/);
    assert.match(main, /Retry no: the request must change first/);
    await page.locator(".timeline summary", { hasText: "What the provider said" }).click();
    await page.locator(".timeline summary", { hasText: "Its answer, as it came" }).click();
    assert.match(await page.locator(".timeline pre").innerText(), /"invalid_request_error"/);
    // The id of the report leads here, too.
    await open(page, `#/requests/${report}`);
    await page.getByText("app got Invalid request").waitFor();
});

operation.view("a failover, a hedge and a notice have their words", {}, async (page) => {
    const { operations } = await admin("operations?since=10m&limit=100");
    const exhausted = operations.find((one) => one.outcome === "failed" && one.attempts > 2);
    await open(page, `#/requests/${exhausted.id}`);
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    assert.match(await text(page.locator(".timeline")), /Waited .*(Try 2|Try 3)/);
    const { operations: [notice] } = await admin("operations?outcome=notice&since=1h");
    await open(page, `#/requests/${notice.id}`);
    await page.getByText("taken out of service by the operator").waitFor();
    assert.match(await text(page.locator("h1")), /^openai\/gpt-4o ! notice$/);
});

operation.view("a wait for money says whose budget it is", {}, async (page) => {
    const { operations: [{ id }] } = await admin("operations?outcome=succeeded&limit=1");
    const wait = { kind: "wait", seq: 1, at_ms: 0, wait_ms: 1500, reason: "budget_spent",
        reason_text: "a budget of money is used up", text: "client app" };
    await page.route(/\/admin\/v1\/operations\/re/, async (route) => {
        const response = await route.fetch();
        const { operation: facts, records } = await response.json();
        await route.fulfill({ response, json: { operation: facts, records: [wait, ...records] } });
    });
    await open(page, `#/requests/${id}`);
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    assert.match(await text(page.locator(".timeline")), /Waited 1\.50? s: a budget of money is used up \(client app\)/);
});

operation.view("says so when there is none", { allow: /404/ }, async (page) => {
    await open(page, "#/requests/req_00000000000000000000000000");
    await page.getByText("The audit has no operation or report of this id.").waitFor();
    await page.getByRole("link", { name: "← Requests" }).click();
    await page.getByRole("heading", { name: "Requests" }).waitFor();
});

const targets = new Views("targets", { isOrdered: true });
const stateOf = async (name) => (await admin("targets")).targets.find((one) => one.target === name);

targets.view("shows states, clocks that run down, breakers and keys", {}, async (page) => {
    await open(page, "#/targets");
    const row = (name) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    const cooling = row("limited/mock/429-retry-after-600");
    assert.match(await text(cooling),
        /cooling down Rate limited\. Asked again in \d+ m \d+ s ● closed/);
    const clock = cooling.locator("td .clock");
    const before = await clock.innerText();
    await until("the clock runs", async () => await clock.innerText() !== before);
    assert.match(await text(row("refused:1")), /refused Try it again/);
    assert.match(await text(row("poor:1")), /used up for \d+ m/);
    assert.match(await text(row("good:1")), /healthy/);
    assert.match(await text(row("limited:1")), /healthy limited at 1 target/);
    assert.match(await text(page.locator("main")), /Retry budget.*main\.yaml, edition 1/);
});

// It has no audit to ask.
targets.view("reloads, and says what needs a restart", { allow: /404/ }, async (page) => {
    const before = readFileSync("bare.yaml", "utf8");
    const reload = async () => {
        await page.goto(`${gates.bare.admin}/#/targets`);
        await page.getByRole("button", { name: "Reload" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Reload" }).click();
        const told = page.locator("#told");
        await until("it is told", async () => /was read again/.test(await text(told)));
        return text(told);
    };
    writeFileSync("bare.yaml", before.replace("threads: 1", "threads: 2\nlimits: {max_connections: 99}"));
    assert.match(await reload(), /again\. Changed, and in need of a restart: threads, limits\.max_connections\.$/);
    await page.goto(`${gates.bare.admin}/#/`);
    const card = page.locator(".item", { hasText: "The configuration waits for a restart" });
    assert.match(await text(card), /Not as the gateway runs: threads, limits\.max_connections\./);
    assert.equal(await text(page.locator(".verdict")),
        "! 1 warning; how requests fare is not known: no audit is kept");
    writeFileSync("bare.yaml", before);
    await page.reload();
    assert.match(await reload(), /was read again\.$/);
    await page.goto(`${gates.bare.admin}/#/`);
    await until("the card is gone", async () => await card.count() === 0 &&
        /^– How requests fare is not known/.test(await text(page.locator(".verdict"))));
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
    // The focus is back where it was.
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
    // What was done is told of what it was done to.
    await open(page, "#/requests?outcome=notice");
    const told = page.locator("table.requests tbody tr", { hasText: "too slow <b>" });
    assert.match(await text(told), /notice good\/mock\/503@1\/2 .*taken out of service/);
    await open(page, `#/requests/${notice.id}`);
    await page.getByRole("heading", { name: `${name} notice` }).waitFor();
});

targets.view("tries a key again", {}, async (page) => {
    await request("refused");
    await open(page, "#/targets");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "refused:1" }) });
    await row.getByRole("button", { name: "Try it again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Try it again" }).click();
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

// limited/… answers with an error, then spare/mock/ok answers: the call in vain is not its.
cost.view("books calls and waste on the target that was asked", {}, async (page) => {
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

cost.view("says of money which part was estimated", {}, async (page) => {
    const { id } = await request("evil-silent");
    await open(page, "#/cost");
    let silent;
    let total;
    await until("it is on record", async () => {
        const { operations, attempts } = await admin("stats?since=1h&by=target");
        total = operations.total;
        silent = attempts.target.find((group) => group.name === "evil/evil-silent");
        return silent !== undefined;
    });
    assert.ok(total.estimated_usd > 0 && total.estimated_usd < total.cost_usd);
    assert.equal(silent.estimated_usd, silent.cost_usd);
    const row = sheetRows(page, "Target").filter({ has: page.getByRole("rowheader", { name: "evil/evil-silent" }) });
    assert.match(await text(row), /≈ \$0\.\d+ ?, of it estimated \$0\.\d+$/);
    assert.match(await text(page.locator(".tile").first()), /^Cost ≈ \$.* a request, of it estimated \$0\.\d+/);
    await page.getByText("≈ is estimated in part or whole").waitFor();
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

cost.view("marks sums and budgets that leave out what has no price", {}, async (page) => {
    await request("spared");
    await until("it is on record", async () => (await admin("stats?since=1h&by=target")).attempts.total.unpriced > 0);
    await open(page, "#/cost");
    await page.locator(".tile").first().getByText(/without [\d,.]+ k? ?calls? without a price$/).waitFor();
    const row = (name) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    await row(/^spared$/).getByText("no price", { exact: true }).waitFor();
    await row(/client app/).getByText(/^not counted: [\d,.]+ calls? without a price$/).waitFor();
});

cost.view("shows budgets and raises one", {}, async (page) => {
    await open(page, "#/cost");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: /client app/ }) });
    assert.match(await text(row), /\$10\.00 a month, then warn/);
    await row.getByRole("button", { name: "Raise" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Raise" }).click();
    assert.equal(await dialog.count(), 1); // an amount is needed
    await dialog.getByLabel("By how many dollars").fill("2.5");
    await dialog.getByRole("button", { name: "Raise" }).click();
    await until("it is raised", async () =>
        (await admin("budgets")).budgets.find((one) => one.scope === "client app").limit_usd === 12.5);
    await page.locator("h1").click();
    await row.locator("td").getByText("raised by $2.50").waitFor();
    // One that is used up is among the problems.
    for (let i = 0; i < 5; i++)
        await request("steady");
    await open(page, "#/");
    await page.getByRole("button", { name: /Show all/ }).click();
    await page.locator(".item", { hasText: "The budget steady-a-day is" }).waitFor();
});

const explain = new Views("explain");

explain.view("says what a pasted failure means and how it was decided", {}, async (page) => {
    await open(page, "#/explain");
    await page.getByLabel("What failed, as you have it").fill("HTTP/1.1 429 Too Many Requests\nretry-after: 20\n\n" +
        '{"error":{"message":"Rate limit reached for gpt-4o","code":"rate_limit_exceeded"}}');
    await page.getByRole("button", { name: "Explain" }).click();
    const verdict = page.getByRole("heading", { name: /Rate limited/ });
    await verdict.waitFor();
    assert.match(await verdict.innerText(), /try again after 20 s/);
    assert.ok(await verdict.evaluate((heading) => heading === document.activeElement));
    await page.getByText("How it was decided").click();
    assert.match(await text(page.locator(".why")), /Rule that decided rate\.\w+/);
    assert.match(await text(page.locator("main")), /Read as an HTTP response, status 429, 1 header/);
});

explain.view("takes the end of what is too long, blots keys, refuses nothing", { allow: /400/ }, async (page) => {
    await open(page, "#/explain");
    const box = page.getByLabel("What failed, as you have it");
    const go = page.getByRole("button", { name: "Explain" });
    await go.click();
    await page.locator(".bad-text", { hasText: "There is nothing to explain." }).waitFor();
    // Typing that much would take long.
    await box.evaluate((area) => {
        area.value = `${"INFO all is well\n".repeat(6000)}401 Incorrect API key provided: sk-proj-` +
            "abcdefghijklmnopqrstuvwxyz0123456789ABCD\n";
    });
    await go.click();
    await page.getByRole("heading", { name: /Auth failed/ }).waitFor();
    const main = await text(page.locator("main section"));
    assert.match(main, /It is long: what is said is of its end\./);
    assert.doesNotMatch(main, /abcdefghijklmnopqrstuvwxyz/);
});

explain.view("counts what else is known", {}, async (page) => {
    await open(page, "#/explain");
    await page.getByLabel("HTTP status").fill("503");
    await page.getByLabel("Provider, if you know it").fill("groq");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("groq").first().waitFor();
    assert.match(await text(page.locator("main section h2")), /may be tried again/);
});

const bare = new Views("without an audit");

bare.view("says that none is kept, and shows the rest", { allow: /404/ }, async (page) => {
    await open(page, "#/requests", gates.bare.admin);
    await page.getByText("No audit is kept.").waitFor();
    await open(page, "#/targets", gates.bare.admin);
    await page.getByRole("rowheader", { name: "good/mock/ok" }).waitFor();
    assert.match(await text(page.locator("main")), /Audit off/);
    await open(page, "#/", gates.bare.admin);
    await page.getByText("No audit is kept.").waitFor();
    // Nothing is wrong that is known, and not much is.
    const verdict = page.locator(".verdict");
    assert.equal(await text(verdict), "– How requests fare is not known: no audit is kept");
    assert.match(await verdict.getAttribute("class"), /\bdim\b/);
});

export const groups = [overview, requests, operation, targets, cost, explain, bare];
