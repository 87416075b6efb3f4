// Tests of the headline: it is green only if the statistics are complete and there is no problem.
import assert from "node:assert/strict";
import { gates } from "./gates.mjs";
import { Views, open, text, until } from "./browser.mjs";

const calm = new Views("the headline");
const headline = (page) => page.locator(".verdict");
const says = (page, words, tone) => until(`${tone}: ${words}`, async () => words.test(await text(headline(page)))
    && (await headline(page).getAttribute("class")).includes(tone));

calm.view("is green when nothing is wrong", {}, async (page) => {
    await open(page, "#/", gates.calm.admin);
    await says(page, /^✓ No problems; no requests in this time range$/, "good");
});

calm.view("is not green before the statistics are loaded", {}, async (page) => {
    let go = () => {};
    const isLet = new Promise((resolve) => (go = resolve));
    await page.route(/\/admin\/v1\/stats\?/, async (route) => {
        await isLet;
        await route.continue().catch(() => {}); // the page may be gone
    });
    const asked = page.waitForRequest(/\/admin\/v1\/stats\?/);
    await open(page, "#/", gates.calm.admin);
    await asked;
    try {
        await says(page, /^… Request statistics are loading/, "dim");
    } finally {
        go();
    }
    await says(page, /^✓ No problems/, "good");
});

calm.view("says when the statistics cannot be loaded, and recovers", { allow: /503/ }, async (page) => {
    let isBroken = true;
    await page.route(/\/admin\/v1\/stats\?/, (route) => (isBroken
        ? route.fulfill({ status: 503, contentType: "application/problem+json",
            body: '{"detail":"The audit cannot be read."}' })
        : route.continue()));
    await open(page, "#/", gates.calm.admin);
    await says(page, /^\? Request statistics are unavailable/, "dim");
    await page.getByText("The audit cannot be read.").waitFor();
    isBroken = false;
    await page.getByLabel("Time range").selectOption("15m");
    await says(page, /^✓ No problems/, "good");
});

calm.view("uses the gateway's clock from the first query on", {}, async (page) => {
    await page.addInitScript(() => {
        const real = Date.now;
        Date.now = () => real() + 4 * 3600_000;
    });
    const [first] = await Promise.all([page.waitForRequest(/\/admin\/v1\/stats\?/), open(page)]);
    const since = Number(new URL(first.url()).searchParams.get("since").replace(/^1h$/, Date.now() - 3600_000));
    assert.ok(Math.abs(Date.now() - 3600_000 - since) < 120_000, `asked since ${new Date(since).toISOString()}`);
    await page.locator(".chart rect").first().waitFor();
    assert.equal(await page.locator(".bad-text", { hasText: "too many steps" }).count(), 0);
});

export const groups = [calm];
