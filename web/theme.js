// Sets the theme: the user's choice, or the system's. Loaded before the page is drawn, so that the style sheet needs
// each theme once.
(() => {
    "use strict";
    const system = matchMedia("(prefers-color-scheme: dark)");

    function chosen() {
        try {
            return localStorage.getItem("recourse.theme");
        } catch {
            return null; // Storage may be forbidden: then the system's theme is used.
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
