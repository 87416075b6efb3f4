// The browser, and pages that record errors on the console and violations of the content security policy.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { Group } from "./tap.mjs";
import { gates } from "./gates.mjs";

// Time limit in ms, which is generous for a busy machine.
const WAIT_MS = 120_000;
const LIMIT_MS = 300_000;
const PROGRAM = process.env.CHROMIUM || "/usr/bin/chromium";
// Chromium has no sandbox as root. The other flags stop requests to other machines.
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--renderer-process-limit=2", "--host-resolver-rules=MAP evil.example 127.0.0.1"];
const SIDE_BY_SIDE = 3;

let browser = null;

export async function startBrowser() {
    if (!existsSync(PROGRAM))
        throw new Error(`there is no ${PROGRAM}: install the Debian package chromium, or set CHROMIUM`);
    browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
}

export async function stopBrowser() {
    await browser?.close();
}

// Records violations of the policy; runs before any script of the page.
function noteViolations() {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) =>
        window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
}

// Without motion: a browser without a GPU draws each frame of an animation on the processor.
async function newPage({ width = 1280, height = 900, theme = "light", allow = null, ...more }) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce",
        ...more });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    page.errors = [];
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type()) && !allow?.test(message.text()))
            page.errors.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => page.errors.push(`thrown: ${error.message}`));
    await page.addInitScript(noteViolations);
    return page;
}

export class Views extends Group {
    // isOrdered: the tests run one at a time, because they change the gateway's state.
    constructor(name, { isOrdered = false } = {}) {
        super(name, { sideBySide: isOrdered ? 1 : SIDE_BY_SIDE, limitMs: LIMIT_MS });
    }

    // A test with a page of its own; options: width, theme, allow (permitted console messages),
    // isStopped (violations of the policy are permitted).
    view(name, options, run) {
        this.test(name, async () => {
            const page = await newPage(options);
            try {
                await run(page);
                if (!options.isStopped)
                    assert.deepEqual(await page.evaluate(() => window.violations || []), []);
                assert.equal(await page.evaluate(() => window.harmed), undefined);
                assert.deepEqual(page.errors, []);
            } finally {
                await page.context().close();
            }
        });
    }
}

// Opens a view of the main gateway, and waits until it is live.
export async function open(page, hash = "#/", base = gates.main.admin) {
    await page.goto(`${base}/${hash}`);
    await page.locator('.link[data-state="live"]').waitFor();
}

// Waits until holds() is true; what: the message if it never is.
export async function until(what, holds) {
    for (const end = Date.now() + WAIT_MS; Date.now() < end;) {
        if (await holds())
            return;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`never: ${what}`);
}

export const text = async (locator) => (await locator.innerText()).replace(/\s+/g, " ").trim();
