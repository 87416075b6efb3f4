// The token, asked for when the gateway wants one.

import { el, fill } from "/app/dom.js";
import { ask, hasToken, setToken } from "/app/api.js";

// Shows the form in place of the view; done() when a token was taken.
export function login(main, done) {
    const field = el("input", { id: "token", type: "password", autocomplete: "current-password",
        required: true, spellcheck: "false", "aria-describedby": "token-help" });
    const trouble = el("p", { class: "bad-text", role: "alert" });
    const go = el("button", { type: "submit", class: "main" }, "Sign in");

    async function submit(event) {
        event.preventDefault();
        const value = field.value.trim();
        if (value === "")
            return;
        go.disabled = true;
        trouble.textContent = "";
        setToken(value);
        try {
            await ask("/admin/v1/budget");
            done();
        } catch (fault) {
            setToken(null);
            trouble.textContent = fault.status === 401 ? "This is not the token." : fault.message;
            field.select();
        }
        go.disabled = false;
    }

    if (hasToken())
        trouble.textContent = "The token does not hold any more.";
    setToken(null);
    fill(main, el("form", { class: "panel login", onsubmit: submit },
        el("h1", {}, "Sign in"),
        el("p", { id: "token-help" }, "This gateway wants the token that ",
            el("code", {}, "admin.token"), " of its configuration names. It is kept in this tab alone."),
        el("label", { for: "token" }, "Token"), field, trouble, go));
    field.focus();
}
