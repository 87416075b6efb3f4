// Formats numbers, times and names.

const LOCALE = undefined; // the browser's own language

export function count(value) {
    if (value === undefined || value === null)
        return "–";
    if (value < 10000)
        return new Intl.NumberFormat(LOCALE).format(value);
    return new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 })
        .format(value);
}

// "850 ms", "1.24 s", "12.4 s", "2 m 5 s"
export function ms(value) {
    if (value === undefined || value === null)
        return "–";
    if (value < 1000)
        return `${Math.round(value)} ms`;
    if (value < 60000)
        return `${Number((value / 1000).toFixed(value < 9995 ? 2 : 1))} s`;
    return span(value);
}

// Formats a number for the axis of a chart.
export const few = (value) =>
    new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 }).format(value);

// A duration in whole seconds, with at most two units.
export function span(value) {
    const seconds = Math.max(0, Math.ceil(value / 1000));
    const units = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];
    const first = units.findIndex(([size]) => seconds >= size);
    if (first < 0)
        return "0 s";
    const [size, name] = units[first];
    const whole = `${Math.floor(seconds / size)} ${name}`;
    const next = units[first + 1];
    const rest = next ? Math.floor((seconds % size) / next[0]) : 0;
    return rest > 0 ? `${whole} ${rest} ${next[1]}` : whole;
}

export function share(part, whole) {
    if (!whole)
        return "–";
    const percent = (100 * (part || 0)) / whole;
    if (percent > 0 && percent < 0.1)
        return "<0.1 %";
    // Shows 100 % only if part equals whole.
    if (percent > 99.9 && part < whole)
        return "99.9 %";
    return `${percent.toFixed(percent === 0 || percent >= 99.95 ? 0 : 1)} %`;
}

export function usd(value) {
    if (value === undefined || value === null)
        return "–";
    if (value === 0)
        return "$0";
    if (value < 0.0001)
        return "<$0.0001";
    const digits = value < 0.01 ? 4 : value < 1 ? 3 : value < 1000 ? 2 : 0;
    return new Intl.NumberFormat(LOCALE, { style: "currency", currency: "USD",
        minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

export function bytes(value) {
    if (value < 1024)
        return `${value} B`;
    return value < 1048576 ? `${(value / 1024).toFixed(1)} KiB` : `${(value / 1048576).toFixed(1)} MiB`;
}

const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit",
    second: "2-digit", hour12: false });
const MINUTE = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", hour12: false });
const DAY = new Intl.DateTimeFormat(LOCALE, { month: "short", day: "numeric" });
const WHOLE = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "medium",
    hour12: false });

export const clock = (at) => CLOCK.format(new Date(at));
export const whole = (at) => WHOLE.format(new Date(at));

// "14:05" today, "16 Nov" at midnight of other days, "16 Nov 14:05" otherwise.
export function moment(at, step) {
    const date = new Date(at);
    if (step >= 86400000)
        return DAY.format(date);
    if (date.getHours() === 0 && date.getMinutes() === 0)
        return DAY.format(date);
    return step < 60000 ? CLOCK.format(date) : MINUTE.format(date);
}

export function when(at) {
    const date = new Date(at);
    return date.toDateString() === new Date().toDateString() ? CLOCK.format(date)
        : `${DAY.format(date)} ${CLOCK.format(date)}`;
}

// Formats the time since `at`. now: the current time by the same clock as `at`.
export function ago(at, now) {
    const seconds = Math.round((now - new Date(at)) / 1000);
    return seconds < 5 ? "just now" : `${span(seconds * 1000)} ago`;
}

// "ProviderTransient" becomes "Provider transient".
export function words(name) {
    const apart = String(name).replaceAll("_", " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
    return apart.charAt(0).toUpperCase() + apart.slice(1);
}

export const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;
export const unpriced = (calls) => plural(calls, "call without a price", "calls without a price");

// The id that clients see, req_..., for the audit's id rep_... of the same request.
export const requestId = (id) => String(id).replace(/^rep_/, "req_");
