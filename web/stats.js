// Statistics of the audit for the selected time range, refreshed more often the cheaper the query is.

import { get } from "/app/api.js";
import { fill } from "/app/dom.js";
import { subscribe, waitForClock, now } from "/app/gateway.js";
import { range } from "/app/range.js";

const FASTEST_MS = 5000;
const SLOWEST_MS = 600000;
// The pause after a query is so long that queries take at most a fiftieth of the time.
const FACTOR = 50;
// Duration in ms of a query after which the page shows that data is loading.
const SLOW_MS = 300;
// A long range begins with a query of its last hour, because the whole range may have millions of rows.
const END_MS = 3600000;
const END = "1h";
// Maximum time in ms for which the first query waits for the gateway's clock, because the browser's
// clock may be hours off.
const CLOCK_MS = 2000;

// The series of a chart: one value of the response per time step.
export function seriesOf(stats, of, names) {
    const step = stats.step_ms;
    const first = Math.floor((stats.wanted ?? new Date(stats.since)) / step) * step;
    const end = new Date(stats.until).getTime();
    const times = [];
    for (let at = first; at < end; at += step)
        times.push(at);
    const groups = new Map(stats[of].time.map((group) => [new Date(group.at).getTime(), group]));
    return { times, step, series: names.map(({ key, name, value }) => ({ key, name,
        values: times.map((at) => (groups.has(at) ? value(groups.get(at)) : value(null))) })) };
}

const partial = document.getElementById("partial");

function sayPartial(text) {
    partial.hidden = text === "";
    fill(partial, text);
}

// Queries the selected range, grouped by `by`, repeatedly until the returned function is called. filter: further
// parameters of the query. onAnswer(stats; isPart: the last hour only), onFault(fault).
export function follow(by, filter, onAnswer, onFault) {
    let timer = null;
    let controller = null;
    let ended = false;
    let isAsking = false;
    let whole = null; // the range whose statistics are complete

    async function run() {
        clearTimeout(timer);
        controller?.abort();
        const own = controller = new AbortController();
        let wait = FASTEST_MS;
        let isPart = false;
        isAsking = true;
        const slow = setTimeout(() => document.body.classList.add("adding"), SLOW_MS);
        try {
            const { id, ms, step } = range();
            // Without the gateway's clock, the gateway computes the start of the range.
            const hasClock = await waitForClock(CLOCK_MS);
            if (ended || own.signal.aborted)
                return;
            const firstStep = (end) => Math.ceil((end - ms) / step) * step;
            const from = (start) => get("/admin/v1/stats", { ...filter(), by: by.join(","), since: start,
                step: `${step / 1000}s` }, own.signal);
            if (whole !== id && ms > 2 * END_MS) {
                const end = await from(END);
                if (ended || own.signal.aborted)
                    return;
                onAnswer({ ...end, wanted: firstStep(new Date(end.until)), isPart: true });
                isPart = true;
                sayPartial("This page shows the last hour; the rest of the time range is loading.");
            }
            const answer = await from(hasClock ? firstStep(now()) : id);
            if (ended || own.signal.aborted)
                return;
            whole = id;
            isPart = false;
            wait = Math.min(SLOWEST_MS, Math.max(FASTEST_MS, FACTOR * answer.took_ms));
            sayPartial("");
            onAnswer(answer);
        } catch (fault) {
            if (ended || fault.name === "AbortError")
                return;
            if (isPart)
                sayPartial("This page shows only the last hour: the rest of the time range could not be loaded.");
            onFault(fault);
        } finally {
            clearTimeout(slow);
            if (controller === own) {
                isAsking = false;
                document.body.classList.remove("adding");
            }
        }
        timer = setTimeout(() => (document.hidden ? sleep() : run()), wait);
    }

    // A hidden page sends no queries.
    function sleep() {
        document.addEventListener("visibilitychange", run, { once: true });
    }

    const unsubscribe = [subscribe("range", run), subscribe("link", (link) => link === "live" && !isAsking && run())];
    run();
    return () => {
        ended = true;
        clearTimeout(timer);
        controller?.abort();
        sayPartial("");
        unsubscribe.forEach((end) => end());
        document.removeEventListener("visibilitychange", run);
    };
}
