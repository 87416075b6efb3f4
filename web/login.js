// The sign-in form, shown when the gateway requires a token.

import { el, fill } from "/app/dom.js";
import { ask, hasToken, setToken } from "/app/api.js";

// Shows the form instead of the view; calls done() after the gateway has accepted a token.
export function login(main, done) {
    const field = el("input", { id: "token", type: "password", autocomplete: "current-password",
        required: true, spellcheck: "false", "aria-describedby": "token-help" });
    const problem = el("p", { class: "bad-text", role: "alert" });
    const go = el("button", { type: "submit", class: "main" }, "Sign in");

    async function submit(event) {
        event.preventDefault();
        const value = field.value.trim();
        if (value === "")
            return;
        go.disabled = true;
        problem.textContent = "";
        setToken(value);
        try {
            await ask("/admin/v1/budget");
            done();
        } catch (fault) {
            setToken(null);
            problem.textContent = fault.status === 401 ? "The gateway rejected this token." : fault.message;
            field.select();
        }
        go.disabled = false;
    }

    if (hasToken())
        problem.textContent = "The token is no longer valid.";
    setToken(null);
    fill(main, el("form", { class: "panel login", onsubmit: submit },
        el("h1", {}, "Sign in"),
        el("p", { id: "token-help" }, "Enter the token that the gateway’s configuration sets with ",
            el("code", {}, "admin.token"), ". The browser stores it for this tab only."),
        el("label", { for: "token" }, "Token"), field, problem, go));
    field.focus();
}
