// The time range of all views; each range ends now.

import { publish } from "/app/gateway.js";

const KEY = "recourse.range";
export const RANGES = [
    { id: "15m", name: "Last 15 minutes", ms: 900000, step: 15000 },
    { id: "1h", name: "Last hour", ms: 3600000, step: 60000 },
    { id: "6h", name: "Last 6 hours", ms: 21600000, step: 300000 },
    { id: "24h", name: "Last 24 hours", ms: 86400000, step: 1200000 },
    { id: "7d", name: "Last 7 days", ms: 604800000, step: 10800000 },
];

let chosen = RANGES[1];
try {
    chosen = RANGES.find((range) => range.id === localStorage.getItem(KEY)) || chosen;
} catch {
    // If the browser forbids storage, the default range is used.
}

export const range = () => chosen;

export function setRange(id) {
    chosen = RANGES.find((known) => known.id === id) || chosen;
    try {
        localStorage.setItem(KEY, chosen.id);
    } catch {
        // Without storage the choice lasts until the page is reloaded.
    }
    publish("range", chosen);
}
