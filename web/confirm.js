// The dialog before a change, with an optional reason for the audit.

import { el, announce } from "/app/dom.js";

// {title, action, run(reason, amount), done: the text after success, or a function of the response,
//  amount: the label of the amount field, if there is one}
export function confirm({ title, action, run, done, amount }) {
    const before = document.activeElement;
    const reason = el("input", { type: "text", maxlength: "200", autocomplete: "off",
        id: "reason", placeholder: "optional" });
    const number = amount ? el("input", { type: "text", id: "amount", inputmode: "decimal",
        pattern: "[0-9]+([.][0-9]{1,6})?", required: true, autocomplete: "off" }) : null;
    const problem = el("p", { class: "bad-text", role: "alert" });
    const go = el("button", { type: "submit", class: "main" }, action);
    const dialog = el("dialog", { "aria-labelledby": "confirm-title" },
        el("form", { method: "dialog", onsubmit: submit },
            el("h2", { id: "confirm-title" }, title),
            amount ? [el("label", { for: "amount" }, amount), number] : null,
            el("label", { for: "reason" }, "Reason (recorded in the audit)"), reason, problem,
            el("div", { class: "row end" },
                el("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), go)));
    dialog.addEventListener("close", () => {
        dialog.remove();
        before?.focus?.();
    });

    async function submit(event) {
        event.preventDefault();
        go.disabled = true;
        try {
            const answer = await run(reason.value.trim(), number?.value.trim());
            dialog.close();
            announce(typeof done === "function" ? done(answer) : done);
        } catch (fault) {
            problem.textContent = [fault.message, fault.advice].filter(Boolean).join(" ");
            go.disabled = false;
        }
    }

    document.body.append(dialog);
    dialog.showModal();
    (number || reason).focus();
}
