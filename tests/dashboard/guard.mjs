// Tests of security: foreign text that would run, data without the token, requests of other sites, and a page whose
// gateway has stopped.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect, createServer as createProxy } from "node:net";
import { writeFileSync } from "node:fs";
import { TOKEN, admin, gates, request } from "./gates.mjs";
import { HOSTILE } from "./upstream.mjs";
import { Views, open, text, until } from "./browser.mjs";

const guard = new Views("guard");

// ---- foreign text ----

const FOREIGN = "main img, main script, main iframe, main object, main style, main [onerror], main [onload], " +
    "main [href^='javascript'], main svg a";

async function expectHarmless(page) {
    assert.equal(await page.locator(FOREIGN).count(), 0);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    // Control characters and marks of text direction are shown as escapes.
    const odd = await page.evaluate(() =>
        document.body.innerText.match(/[\u0000-\u0008\u001b\u009b\u200b\u202a-\u202e\u2066-\u2069]/));
    assert.equal(odd, null);
}

guard.view("shows a provider's text as text in every view", {}, async (page) => {
    const ids = {};
    for (const kind of Object.keys(HOSTILE))
        ids[kind] = (await request(`evil-${kind}`)).id;
    await open(page, "#/requests?outcome=failed");
    await page.locator(`table.requests a[href$="${ids.image}"]`).waitFor();
    await expectHarmless(page);
    for (const [kind, id] of Object.entries(ids)) {
        await open(page, `#/requests/${id}`);
        await page.getByRole("heading", { name: "Timeline" }).waitFor();
        for (const summary of await page.locator("main summary").all())
            if (await summary.isVisible())
                await summary.click();
        await expectHarmless(page);
        if (kind === "image")
            assert.ok((await text(page.locator("main"))).includes(HOSTILE.image));
        if (kind === "bidi")
            assert.ok((await text(page.locator("main"))).includes("\\u202e"));
        const length = await page.evaluate(() => document.body.innerText.length);
        assert.ok(length < 200_000, `${kind}: ${length}`);
    }
    await open(page, "#/");
    await page.locator(".feed li").first().waitFor();
    await expectHarmless(page);
});

guard.view("shows a client's model name as text, live and from the audit", {}, async (page) => {
    const names = [HOSTILE.image, HOSTILE.script, HOSTILE.bidi, "m".repeat(3000), "__proto__",
        "javascript:window.harmed=1"];
    await open(page, "#/requests");
    await page.locator("table.requests tbody a").first().waitFor();
    for (const name of names)
        await request(name);
    const list = page.locator("table.requests");
    await until("the last request is in the list", async () => /javascript:window/.test(await text(list)));
    await expectHarmless(page);
    await open(page, "#/cost");
    await page.locator(".chart rect").first().waitFor();
    await expectHarmless(page);
    await open(page, "#/targets");
    await page.locator("td .badge").first().waitFor();
    await expectHarmless(page);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(over <= 0, `it is ${over} pixels too wide`);
});

guard.view("shows a pasted failure as text", {}, async (page) => {
    await open(page, "#/explain");
    const box = page.getByLabel("Error text");
    for (const kind of ["image", "script", "svg", "ansi", "bidi"]) {
        await box.fill(JSON.stringify({ error: { message: HOSTILE[kind], type: HOSTILE[kind] } }));
        await page.getByRole("button", { name: "Explain" }).click();
        await page.locator("#verdict-title").waitFor();
        await page.locator("main summary", { hasText: "Raw response" }).click();
        await expectHarmless(page);
    }
});

guard.view("a hostile address runs nothing", { allow: /4\d\d/ }, async (page) => {
    const [image, svg] = [HOSTILE.image, HOSTILE.svg].map(encodeURIComponent);
    const hashes = [`#/requests/${image}`, `#/requests?model=${svg}`, "#/requests/%E0%A4%A", "#/__proto__",
        "#/constructor", "#/nowhere"];
    for (const hash of hashes) {
        await page.goto(`${gates.main.admin}/${hash}`);
        await page.reload();
        await page.locator('.link[data-state="live"]').waitFor();
        await page.locator("main h1").first().waitFor({ state: "attached" });
        await expectHarmless(page);
    }
});

const STOPPED = { isStopped: true, allow: /Content Security Policy|violates/ };
guard.view("the content security policy blocks scripts, styles and images", STOPPED, async (page) => {
    await open(page);
    await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.inlined = 1";
        document.body.append(script);
        document.body.setAttribute("style", "color: red");
        const image = document.createElement("img");
        image.src = "http://evil.example/x.png";
        document.body.append(image);
    });
    await until("all three are blocked", () => page.evaluate(() => window.violations.length >= 3));
    assert.equal(await page.evaluate(() => window.inlined), undefined);
});

// ---- the token ----

const tokens = new Views("token", { isOrdered: true });

tokens.view("is entered once and stored in the tab only", { allow: /401/ }, async (page) => {
    await page.goto(`${gates.locked.admin}/#/targets`);
    const field = page.getByLabel("Token", { exact: true });
    await field.waitFor();
    assert.equal(await field.getAttribute("type"), "password");
    assert.ok(await field.evaluate((input) => input === document.activeElement));
    assert.equal(await text(page.locator("#link")), "Signed out");
    // Without a token the page shows no data.
    assert.doesNotMatch(await text(page.locator("body")), /good\/mock\/ok/);
    await field.fill("not-the-token");
    await field.press("Enter");
    await page.getByText("The gateway rejected this token.").waitFor();
    await field.fill(TOKEN);
    await field.press("Enter");
    await page.getByRole("rowheader", { name: "good/mock/ok" }).waitFor();
    await page.locator("#link", { hasText: "Live" }).waitFor();
    await page.reload();
    await page.getByRole("rowheader", { name: "good/mock/ok" }).waitFor();
    const kept = await page.evaluate(() => [JSON.stringify(localStorage), document.cookie, location.href].join());
    assert.ok(!kept.includes(TOKEN));
    assert.equal(await page.evaluate(() => sessionStorage.getItem("recourse.token")), TOKEN);
});

tokens.view("must be entered again after it has changed", { allow: /401|Failed to fetch|network/ }, async (page) => {
    await page.goto(`${gates.locked.admin}/`);
    await page.getByLabel("Token", { exact: true }).fill(TOKEN);
    await page.getByLabel("Token", { exact: true }).press("Enter");
    await page.locator(".verdict").waitFor();
    const reload = (token) => fetch(`${gates.locked.admin}/admin/v1/reload`, { method: "POST",
        headers: { authorization: `Bearer ${token}`, "x-recourse-admin": "1" } });
    writeFileSync("token", "another-token-altogether");
    assert.equal((await reload(TOKEN)).status, 200);
    await page.getByLabel("Token", { exact: true }).waitFor();
    await page.getByLabel("Token", { exact: true }).fill("another-token-altogether");
    await page.getByLabel("Token", { exact: true }).press("Enter");
    await page.locator(".verdict").waitFor();
    writeFileSync("token", TOKEN);
    assert.equal((await reload("another-token-altogether")).status, 200);
});

// ---- other sites ----

guard.view("another site's page can neither read nor change anything", { isStopped: true,
    allow: /CORS|ERR_FAILED|Failed to load|blocked|403|415/ }, async (page) => {
    const site = createServer((_, response) => response.end("<!doctype html><title>other</title>"));
    await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
    const target = "good/mock/400";
    await page.goto(`http://127.0.0.1:${site.address().port}/`);
    const tried = await page.evaluate(async ([base, name]) => {
        const state = await fetch(`${base}/admin/v1/state`).then((r) => r.text(), () => "refused");
        const out = `${base}/admin/v1/targets/${name}/out`;
        const marked = await fetch(out, { method: "POST", headers: { "x-recourse-admin": "1" } })
            .then(() => "sent", () => "refused");
        await fetch(out, { method: "POST", mode: "no-cors", body: "{}" }).catch(() => {});
        const form = document.createElement("form");
        form.method = "post";
        form.action = out;
        form.target = "frame";
        const frame = document.createElement("iframe");
        frame.name = "frame";
        document.body.append(frame, form);
        form.submit();
        await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
        return { state, marked };
    }, [gates.main.admin, target]);
    assert.deepEqual(tried, { state: "refused", marked: "refused" });
    const { targets } = await admin("targets");
    assert.equal(targets.find((one) => one.target === target).out_of_service, false);
    site.close();
});

guard.view("refuses a request whose host is another name (DNS rebinding)", { allow: /421|Opener-Policy/ }, async (page) => {
    const { port } = new URL(gates.main.admin);
    const response = await page.goto(`http://evil.example:${port}/`);
    assert.equal(response.status(), 421);
    assert.doesNotMatch(await page.content(), /app\/main\.js/);
});

// ---- a gateway that is gone ----

// A proxy between the page and the gateway, which can stop and return on the same port.
async function startProxy(port) {
    const open_ = new Set();
    const state = { isGone: false };
    const proxy = createProxy((client) => {
        if (state.isGone) {
            client.destroy();
            return;
        }
        const server = connect(port, "127.0.0.1");
        for (const socket of [client, server])
            open_.add(socket.on("error", () => {}).on("close", () => {
                open_.delete(socket);
                (socket === client ? server : client).destroy();
            }));
        client.pipe(server).pipe(client);
    });
    await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${proxy.address().port}`, close: () => proxy.close(),
        go: () => {
            state.isGone = true;
            open_.forEach((socket) => socket.destroy());
        }, comeBack: () => (state.isGone = false) };
}

const CUT = { allow: /ERR_|Failed to fetch|network/ };
guard.view("is not green while the gateway does not respond", CUT, async (page) => {
    const proxy = await startProxy(Number(new URL(gates.calm.admin).port));
    await open(page, "#/", proxy.url);
    const verdict = page.locator(".verdict");
    await until("no problems", async () => /No problems/.test(await text(verdict)));
    proxy.go();
    await until("the statistics are unavailable", async () =>
        await text(verdict) === "? Request statistics are unavailable: the gateway does not respond");
    proxy.comeBack();
    await until("no problems again", async () => /No problems/.test(await text(verdict)));
    proxy.close();
});

guard.view("says when the gateway does not respond, and reconnects", CUT, async (page) => {
    const proxy = await startProxy(Number(new URL(gates.main.admin).port));
    await open(page, "#/", proxy.url);
    await page.locator(".chart rect").first().waitFor();
    proxy.go();
    await page.getByRole("alert").filter({ hasText: "The gateway does not respond." }).waitFor();
    assert.match(await text(page.locator("#lost")), /This page shows the gateway’s state of (just now|\d+ s ago)/);
    assert.equal(await text(page.locator("#link")), "Reconnecting");
    // The latest data is still shown.
    assert.ok(await page.locator(".tile").count() > 3);
    proxy.comeBack();
    await page.locator('.link[data-state="live"]').waitFor();
    await until("the alert is gone", async () => !await page.locator("#lost").isVisible());
    const { id } = await request("wrong");
    await page.locator(`.feed a[href$="${id}"]`).waitFor();
    proxy.close();
});

export const groups = [guard, tokens];
