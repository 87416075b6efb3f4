// What is known of the gateway, and who wants to hear of it.
//
//   state       /admin/v1/state, from the live stream
//   operation   a request that ended
//   link        live, waiting or refused
//   range       another time is to be shown

import { connect } from "/app/live.js";

const RECENT_MAX = 200;

export const gate = {
    state: null,
    offset: 0, // of the gateway's clock to ours, in ms
    link: "waiting",
    fault: null,
    dropped: 0,
    recent: [], // operations, the newest first
};

const bus = new EventTarget();
let disconnect = null;

// Gives a function that ends it.
export function hear(name, call) {
    const listener = (event) => call(event.detail);
    bus.addEventListener(name, listener);
    return () => bus.removeEventListener(name, listener);
}

export function say(name, detail) {
    bus.dispatchEvent(new CustomEvent(name, { detail }));
}

// Resolves when the gateway's clock is known; false: not in so many ms.
export function knowClock(most) {
    return new Promise((resolve) => {
        if (gate.state !== null) {
            resolve(true);
            return;
        }
        const timer = setTimeout(() => end(false), most);
        const unhear = hear("state", () => end(true));
        const end = (isKnown) => {
            clearTimeout(timer);
            unhear();
            resolve(isKnown);
        };
    });
}

export const now = () => Date.now() + gate.offset;

function onEvent(name, data) {
    if (name === "state") {
        gate.offset = new Date(data.now) - Date.now();
        gate.state = data;
        say("state", data);
    } else if (name === "operation") {
        gate.recent.unshift(data);
        gate.recent.length = Math.min(gate.recent.length, RECENT_MAX);
        say("operation", data);
    } else if (name === "dropped") {
        gate.dropped += data.count;
        say("dropped", data.count);
    }
}

function onLink(link, fault = null) {
    gate.link = link;
    gate.fault = fault;
    say("link", link);
}

export function start() {
    stop();
    disconnect = connect(onEvent, onLink);
}

export function stop() {
    if (disconnect !== null)
        disconnect();
    disconnect = null;
}
