// Sets the theme: the user's choice, or the theme of the system. This script runs before the page
// is drawn, so that the style sheet contains each theme only once.
(() => {
    "use strict";
    const system = matchMedia("(prefers-color-scheme: dark)");

    function chosen() {
        try {
            return localStorage.getItem("recourse.theme");
        } catch {
            return null; // The browser may forbid storage; the theme of the system is then used.
        }
    }

    function apply() {
        const theme = chosen();
        const isChosen = theme === "light" || theme === "dark";
        document.documentElement.dataset.theme = isChosen ? theme : system.matches ? "dark" : "light";
    }

    apply();
    system.addEventListener("change", apply);
})();
