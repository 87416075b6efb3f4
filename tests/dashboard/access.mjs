// For everybody: keyboard, screen reader, phone, light and dark.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { admin, gates } from "./gates.mjs";
import { Views, open, text, until } from "./browser.mjs";

const AXE = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const VIEWS = ["#/", "#/requests", "#/targets", "#/cost", "#/explain"];
const LOADED = { "#/": ".chart rect", "#/requests": "table.requests tbody a", "#/targets": ".badge:visible",
    "#/cost": ".chart rect", "#/explain": "textarea" };

async function load(page, hash, base) {
    await open(page, hash, base);
    await page.locator(LOADED[hash] || ".timeline .story").first().waitFor();
}

const access = new Views("for everybody");

// What a program can check. In the dark the same page has other colours, and nothing else.
const RULES = {
    light: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
    dark: { type: "rule", values: ["color-contrast"] },
};

async function expectAccessible(page, hash, theme, base) {
    await load(page, hash, base);
    await page.evaluate(AXE);
    const { violations, passes } = await page.evaluate((runOnly) =>
        window.axe.run(document, { runOnly }), RULES[theme]);
    assert.deepEqual(violations.map(({ id: rule, nodes: [first] }) =>
        `${rule}: ${first.html.slice(0, 200)} ${first.failureSummary}`), []);
    assert.ok(passes.length > 0);
}

for (const theme of ["light", "dark"]) {
    const options = { theme, bypassCSP: true }; // the checker is a script of ours, not of the page's
    for (const hash of VIEWS)
        access.view(`${hash} breaks no rule of accessibility, ${theme}`, options, (page) =>
            expectAccessible(page, hash, theme));
    access.view(`one request breaks no rule of accessibility, ${theme}`, options, async (page) => {
        const { operations: [{ id }] } = await admin("operations?outcome=failed&model=wrong&limit=1");
        await expectAccessible(page, `#/requests/${id}`, theme);
    });
}

access.view("the search of a long list breaks no rule of accessibility", { bypassCSP: true }, (page) =>
    expectAccessible(page, "#/targets", "light", gates.many.admin));

access.view("a rule that is broken is noticed", { bypassCSP: true }, async (page) => {
    await load(page, "#/explain");
    await page.evaluate(() => document.querySelector('label[for="provider"]').removeAttribute("for"));
    await page.evaluate(() => document.body.append(document.getElementById("provider")));
    await page.evaluate(AXE);
    const { violations } = await page.evaluate((runOnly) => window.axe.run(document, { runOnly }), RULES.light);
    assert.ok(violations.some(({ id }) => id === "label"));
});

access.view("every table has a caption and heads, every view one heading of the first rank", {}, async (page) => {
    for (const hash of VIEWS) {
        await load(page, hash);
        assert.equal(await page.locator("h1").count(), 1, hash);
        for (const table of await page.locator("table").all()) {
            assert.ok((await table.locator("caption").innerText()).length > 3);
            assert.equal(await table.locator("thead th:not([scope])").count(), 0);
        }
    }
});

access.view("the keyboard is enough to go everywhere", {}, async (page) => {
    await open(page);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
    await page.keyboard.press("Tab");
    for (const name of ["Overview", "Requests", "Targets", "Cost", "Explain"]) {
        await page.keyboard.press("Tab");
        assert.equal(await page.evaluate(() => document.activeElement.textContent), name);
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Explain a failure" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    assert.equal(await page.locator("nav a[aria-current]").innerText(), "Explain");
    assert.equal(await page.title(), "Explain · Recourse");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.id), "failure");
    // What has the focus can be seen.
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineWidth);
    assert.ok(parseFloat(outline) >= 2, outline);
    await page.goBack();
    await page.locator(".verdict").waitFor();
});

access.view("the link to skip leads to the content", {}, async (page) => {
    await open(page, "#/requests");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.locator("table.requests tbody a").first().waitFor();
});

access.view("a phone shows every view without scrolling sideways", { width: 390, height: 844, hasTouch: true,
    isMobile: true }, async (page) => {
    const { operations: [{ id }] } = await admin("operations?outcome=failed&model=wrong&limit=1");
    for (const hash of [...VIEWS, `#/requests/${id}`]) {
        await load(page, hash);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(over <= 0, `${hash} is ${over} pixels too wide`);
        // Nor do its tables, but for those of charts.
        const tables = await page.evaluate(() => [...document.querySelectorAll("section .scroll")]
            .map((box) => [box.getAttribute("aria-label"), box.scrollWidth - box.clientWidth]));
        for (const [name, width] of tables)
            assert.ok(width <= 1, `${hash}: ${name} is ${width} pixels too wide`);
    }
    // The time that is shown can be read, whichever it is; its arrow takes the end.
    const cut = await page.locator(".range select").evaluate((select) => {
        const style = getComputedStyle(select);
        const pen = document.createElement("canvas").getContext("2d");
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 18;
        return [...select.options].filter((option) => pen.measureText(option.text).width > room).map((one) => one.text);
    });
    assert.deepEqual(cut, []);
    // What is known of a key has the width of the table, not of a column.
    await load(page, "#/targets");
    const keys = page.locator("section", { has: page.locator("#keys-title") });
    assert.ok(await keys.locator("tbody .way .badge:visible").count() > 3);
    assert.equal(await keys.locator("tbody td:not(.way) .badge:visible").count(), 0);
    await page.locator("nav a", { hasText: "Cost" }).tap();
    await page.getByRole("heading", { name: "Cost", exact: true, level: 1 }).waitFor();
});

access.view("a small phone shows all of the menu, and buttons in a column", { width: 360, height: 740, hasTouch: true,
    isMobile: true }, async (page) => {
    await load(page, "#/targets");
    for (const width of [360, 320]) {
        await page.setViewportSize({ width, height: 740 });
        const ends = await page.locator("nav a").evaluateAll((links) =>
            links.map((link) => link.getBoundingClientRect().right));
        assert.ok(ends.every((end) => end <= width), `${width}: ${ends.join(" ")}`);
        // One line of it, and one of tools beside the name.
        assert.ok(width === 320 || (await page.locator(".top").boundingBox()).height < 100);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(over <= 0, `${width}: ${over} pixels too wide`);
    }
    const places = await page.getByRole("button", { name: /^(Take out|Put back|Ask it again now)$/ }).evaluateAll(
        (all) => all.map((button) => button.getBoundingClientRect().right));
    assert.ok(places.length > 8 && new Set(places).size === 1, places.join(" "));
});

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const isDark = (colour) => colour.match(/\d+/g).slice(0, 3).every((part) => Number(part) < 60);

access.view("it is dark where the system is, light where one wants it", { theme: "dark" }, async (page) => {
    await open(page);
    assert.ok(isDark(await background(page)));
    const button = page.getByRole("button", { name: /Theme/ });
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    await button.click();
    assert.ok(!isDark(await background(page)));
    await page.reload();
    assert.ok(!isDark(await background(page)));
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("button", { name: /Theme/ }).click();
    assert.ok(isDark(await background(page)));
});

access.view("those who want no motion get none", { reducedMotion: "reduce" }, async (page) => {
    await open(page, "#/requests");
    const names = await page.evaluate(() => [...document.querySelectorAll("*")]
        .map((element) => getComputedStyle(element).animationName).filter((name) => name !== "none"));
    assert.deepEqual(names, []);
});

access.view("what is said aloud is said rarely", {}, async (page) => {
    await load(page, "#/");
    const live = await page.locator('[aria-live], [role="status"], [role="alert"]').count();
    assert.ok(live <= 5, `${live} places speak up`);
    const before = await text(page.locator("#told"));
    await until("a state has come", async () => page.evaluate(() => performance.now() > 4000));
    assert.equal(await text(page.locator("#told")), before);
});

export const groups = [access];
