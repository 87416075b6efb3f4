// Server-sent events over fetch, which can send the token. Reconnects after a failure.

import { ask } from "/app/api.js";

const WAITS_MS = [500, 1000, 2000, 5000];
// The gateway sends a state every 5 s; a connection that is silent this long is dead.
const SILENCE_MS = 20000;

// One event as text: {event, data}.
function parse(block) {
    let event = "message";
    const data = [];
    for (const line of block.split("\n")) {
        if (line.startsWith("event:"))
            event = line.slice(6).trim();
        else if (line.startsWith("data:"))
            data.push(line.slice(5).trimStart());
    }
    return { event, data: data.join("\n") };
}

async function read(response, watch, onEvent) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
        const { value, done } = await reader.read();
        if (done)
            return;
        watch();
        rest += value;
        const blocks = rest.split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) {
            const { event, data } = parse(block);
            if (data !== "")
                onEvent(event, JSON.parse(data));
        }
    }
}

// onLink('live' | 'waiting' | 'refused', fault)
export function connect(onEvent, onLink) {
    let failures = 0;
    let timer = null;
    let ended = false;
    let controller = null;

    async function run() {
        controller = new AbortController();
        let silence = null;
        const watch = () => {
            clearTimeout(silence);
            silence = setTimeout(() => controller.abort(), SILENCE_MS);
        };
        let fault = null;
        try {
            watch();
            const response = await ask("/admin/v1/live", { signal: controller.signal });
            failures = 0;
            onLink("live");
            await read(response, watch, onEvent);
        } catch (error) {
            fault = error;
        }
        clearTimeout(silence);
        if (ended)
            return;
        if (fault !== null && fault.status === 401) {
            onLink("refused", fault);
            return;
        }
        const wait = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)];
        failures++;
        onLink("waiting", fault);
        timer = setTimeout(run, wait);
    }

    run();
    return () => {
        ended = true;
        clearTimeout(timer);
        controller.abort();
    };
}
