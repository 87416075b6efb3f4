// Tests of accessibility: keyboard, screen reader, phone, light and dark theme.
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

const access = new Views("accessibility");

// The rules of axe-core. The dark theme differs only in its colours.
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
    const options = { theme, bypassCSP: true }; // the policy of the page would block axe-core
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

access.view("axe-core finds a broken rule", { bypassCSP: true }, async (page) => {
    await load(page, "#/explain");
    await page.evaluate(() => document.querySelector('label[for="provider"]').removeAttribute("for"));
    await page.evaluate(() => document.body.append(document.getElementById("provider")));
    await page.evaluate(AXE);
    const { violations } = await page.evaluate((runOnly) => window.axe.run(document, { runOnly }), RULES.light);
    assert.ok(violations.some(({ id }) => id === "label"));
});

access.view("every table has a caption and column heads, every view one h1", {}, async (page) => {
    for (const hash of VIEWS) {
        await load(page, hash);
        assert.equal(await page.locator("h1").count(), 1, hash);
        for (const table of await page.locator("table").all()) {
            assert.ok((await table.locator("caption").innerText()).length > 3);
            assert.equal(await table.locator("thead th:not([scope])").count(), 0);
        }
    }
});

access.view("the keyboard reaches every view", {}, async (page) => {
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
    // The focus is visible.
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineWidth);
    assert.ok(parseFloat(outline) >= 2, outline);
    await page.goBack();
    await page.locator(".verdict").waitFor();
});

access.view("the skip link moves the focus to the content", {}, async (page) => {
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
        // Tables do not scroll sideways either, except those of charts.
        const tables = await page.evaluate(() => [...document.querySelectorAll("section .scroll")]
            .map((box) => [box.getAttribute("aria-label"), box.scrollWidth - box.clientWidth]));
        for (const [name, width] of tables)
            assert.ok(width <= 1, `${hash}: ${name} is ${width} pixels too wide`);
    }
    // Every time range fits into its select element, beside the arrow.
    const cut = await page.locator(".range select").evaluate((select) => {
        const style = getComputedStyle(select);
        const pen = document.createElement("canvas").getContext("2d");
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 18;
        return [...select.options].filter((option) => pen.measureText(option.text).width > room).map((one) => one.text);
    });
    assert.deepEqual(cut, []);
    // The state of a key uses the width of the table, not of a column.
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
        // The header has one line for the menu and one for the name and tools.
        assert.ok(width === 320 || (await page.locator(".top").boundingBox()).height < 100);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(over <= 0, `${width}: ${over} pixels too wide`);
    }
    const places = await page.getByRole("button", { name: /^(Take out|Put back|End cooldown)$/ }).evaluateAll(
        (all) => all.map((button) => button.getBoundingClientRect().right));
    assert.ok(places.length > 8 && new Set(places).size === 1, places.join(" "));
});

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const isDark = (colour) => colour.match(/\d+/g).slice(0, 3).every((part) => Number(part) < 60);

access.view("follows the system's theme until the user selects one", { theme: "dark" }, async (page) => {
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

access.view("has no animation if the user prefers reduced motion", { reducedMotion: "reduce" }, async (page) => {
    await open(page, "#/requests");
    const names = await page.evaluate(() => [...document.querySelectorAll("*")]
        .map((element) => getComputedStyle(element).animationName).filter((name) => name !== "none"));
    assert.deepEqual(names, []);
});

access.view("announces little to screen readers", {}, async (page) => {
    await load(page, "#/");
    const live = await page.locator('[aria-live], [role="status"], [role="alert"]').count();
    assert.ok(live <= 5, `${live} live regions`);
    const before = await text(page.locator("#announced"));
    await until("a state has arrived", async () => page.evaluate(() => performance.now() > 4000));
    assert.equal(await text(page.locator("#announced")), before);
});

export const groups = [access];
