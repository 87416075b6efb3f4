// Selects the view and draws the frame around it.

import { el, fill } from "/app/dom.js";
import { whenRefused } from "/app/api.js";
import { gateway, subscribe, now, start, stop } from "/app/gateway.js";
import { RANGES, range, setRange } from "/app/range.js";
import { ago, span } from "/app/format.js";
import { login } from "/app/login.js";
import { overview } from "/app/view_overview.js";
import { requests } from "/app/view_requests.js";
import { operation } from "/app/view_operation.js";
import { targets } from "/app/view_targets.js";
import { cost } from "/app/view_cost.js";
import { explain } from "/app/view_explain.js";

const main = document.getElementById("main");
const VIEWS = new Map([
    ["", { title: "Overview", show: overview }],
    ["requests", { title: "Requests", show: requests }],
    ["targets", { title: "Targets", show: targets }],
    ["cost", { title: "Cost", show: cost }],
    ["explain", { title: "Explain", show: explain }],
]);
let leave = () => {};
let isLocked = false;

// ---- views ----

function place() {
    const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const [name, ...rest] = path.split("/");
    return { name: VIEWS.has(name) ? name : "", rest: decoded(rest.join("/")),
        query: Object.fromEntries(new URLSearchParams(search)) };
}

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

function markPlace(name) {
    for (const link of document.querySelectorAll("#nav a")) {
        if (link.hash === `#/${name}`)
            link.setAttribute("aria-current", "page");
        else
            link.removeAttribute("aria-current");
    }
}

function show(isFirst) {
    if (isLocked)
        return;
    const { name, rest, query } = place();
    const { title, show: view } = VIEWS.get(name);
    const isOne = name === "requests" && rest !== "";
    leave();
    markPlace(name);
    document.title = `${isOne ? rest : title} · Recourse`;
    leave = isOne ? operation(main, query, rest) : view(main, query);
    if (!isFirst) {
        window.scrollTo(0, 0);
        main.focus({ preventScroll: true });
    }
}

// ---- the token ----

function lock() {
    if (isLocked)
        return;
    isLocked = true;
    stop();
    gateway.link = "refused";
    drawLink();
    leave();
    leave = () => {};
    login(main, () => {
        isLocked = false;
        start();
        show(false);
    });
}

// ---- the frame ----

const LINKS = { live: "Live", waiting: "Reconnecting", refused: "Signed out" };

function drawLink() {
    const link = document.getElementById("link");
    const lost = document.getElementById("lost");
    const isGone = gateway.link === "waiting" && gateway.fault !== null;
    link.dataset.state = gateway.link;
    link.querySelector(".link-text").textContent = gateway.state === null && gateway.link === "waiting"
        && !isGone ? "Connecting" : LINKS[gateway.link];
    lost.hidden = !isGone || isLocked;
    document.body.classList.toggle("stale", isGone);
    if (isGone)
        fill(lost, el("b", {}, gateway.fault.status ? gateway.fault.message : "The gateway does not respond."), " ",
            gateway.state !== null ? `This page shows the gateway’s state of ${ago(gateway.state.now, now())}. ` : "",
            "The page reconnects by itself.");
}

function drawFoot() {
    const { state } = gateway;
    fill(document.getElementById("foot"), state === null ? null
        : `Recourse ${state.version} · up ${span(state.uptime_ms)} · times are local, `
            + `${Intl.DateTimeFormat().resolvedOptions().timeZone}`);
}

function setUpRange() {
    const select = document.getElementById("range");
    fill(select, RANGES.map(({ id, name }) => el("option", { value: id, selected: id === range().id }, name)));
    select.addEventListener("change", () => setRange(select.value));
}

function setUpTheme() {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => root.dataset.theme === "dark";
    const button = document.getElementById("theme");
    const draw = () => {
        document.getElementById("theme-mark").textContent = isDark() ? "☾" : "☀";
        button.setAttribute("aria-pressed", String(isDark()));
        button.title = isDark() ? "Dark; change to light" : "Light; change to dark";
    };
    button.addEventListener("click", () => {
        root.dataset.theme = isDark() ? "light" : "dark";
        try {
            localStorage.setItem("recourse.theme", root.dataset.theme);
        } catch {
            // If the browser forbids storage, the chosen theme lasts until the page is reloaded.
        }
        draw();
    });
    system.addEventListener("change", draw);
    draw();
}

// The address names the view, so the skip link must not change it.
document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
});
whenRefused(lock);
subscribe("link", drawLink);
subscribe("state", drawFoot);
subscribe("state", () => gateway.link === "live" && drawLink());
window.addEventListener("hashchange", () => show(false));
setUpRange();
setUpTheme();
drawLink();
start();
show(true);
