// Sums of the audit for the time that is shown, asked for again as often as they are cheap.

import { get } from "/app/api.js";
import { fill } from "/app/dom.js";
import { subscribe, waitForClock, now } from "/app/gateway.js";
import { range } from "/app/range.js";

const FASTEST_MS = 5000;
const SLOWEST_MS = 600000;
// What is asked takes at most a fiftieth of the time.
const FACTOR = 50;
// Who waits longer is told so.
const SLOW_MS = 300;
// Of a long time the end is asked for first: millions of rows take their time to add up.
const END_MS = 3600000;
const END = "1h";
// The first question waits so long for the gateway's clock; ours may be hours away from it.
const CLOCK_MS = 2000;

// The steps of time from the first to now, as charts show them; what the answer has of each.
export function seriesOf(answer, of, names) {
    const step = answer.step_ms;
    const first = Math.floor((answer.wanted ?? new Date(answer.since)) / step) * step;
    const end = new Date(answer.until).getTime();
    const times = [];
    for (let at = first; at < end; at += step)
        times.push(at);
    const groups = new Map(answer[of].time.map((group) => [new Date(group.at).getTime(), group]));
    return { times, step, series: names.map(({ key, name, value }) => ({ key, name,
        values: times.map((at) => (groups.has(at) ? value(groups.get(at)) : value(null))) })) };
}

const partial = document.getElementById("partial");

function sayPartial(text) {
    partial.hidden = text === "";
    fill(partial, text);
}

// Asks for `by` of the range that is shown, again and again, until the function that it gives is
// called. filter: more of the query. onAnswer(answer; isPart: of the last hour alone), onFault(fault).
export function follow(by, filter, onAnswer, onFault) {
    let timer = null;
    let controller = null;
    let ended = false;
    let isAsking = false;
    let whole = null; // the range of which there was an answer

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
            // Without its clock, so long as it counts itself.
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
                sayPartial("So far of the last hour; the rest is being added up.");
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
                sayPartial("Of the last hour alone: the rest could not be added up.");
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

    // A page that nobody sees asks for nothing.
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
