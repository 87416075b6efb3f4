// Light or dark: what the system says, unless somebody chose. Loaded before the page is drawn.
(() => {
    "use strict";
    let chosen = null;
    try {
        chosen = localStorage.getItem("recourse.theme");
    } catch {
        // Storage may be forbidden: then the system's theme is used.
    }
    if (chosen === "light" || chosen === "dark")
        document.documentElement.dataset.theme = chosen;
})();
