// The latest state of the gateway, and the events that views subscribe to.
//
//   state       /admin/v1/state, from the live stream
//   operation   a request that ended
//   link        live, waiting or refused
//   range       the user chose another time range

import { connect } from "/app/live.js";

const RECENT_MAX = 200;

export const gateway = {
    state: null,
    offset: 0, // offset of the gateway's clock from the browser's clock, in ms
    link: "waiting",
    fault: null,
    dropped: 0,
    recent: [], // the latest operations, the newest first
};

const bus = new EventTarget();
let disconnect = null;

// Calls `call` for each event of that name. Returns a function that ends the subscription.
export function subscribe(name, call) {
    const listener = (event) => call(event.detail);
    bus.addEventListener(name, listener);
    return () => bus.removeEventListener(name, listener);
}

export function publish(name, detail) {
    bus.dispatchEvent(new CustomEvent(name, { detail }));
}

// Resolves with true when the gateway's clock is known, with false after `most` ms.
export function waitForClock(most) {
    return new Promise((resolve) => {
        if (gateway.state !== null) {
            resolve(true);
            return;
        }
        const timer = setTimeout(() => end(false), most);
        const unsubscribe = subscribe("state", () => end(true));
        const end = (isKnown) => {
            clearTimeout(timer);
            unsubscribe();
            resolve(isKnown);
        };
    });
}

export const now = () => Date.now() + gateway.offset;

function onEvent(name, data) {
    if (name === "state") {
        gateway.offset = new Date(data.now) - Date.now();
        gateway.state = data;
        publish("state", data);
    } else if (name === "operation") {
        gateway.recent.unshift(data);
        gateway.recent.length = Math.min(gateway.recent.length, RECENT_MAX);
        publish("operation", data);
    } else if (name === "dropped") {
        gateway.dropped += data.count;
        publish("dropped", data.count);
    }
}

function onLink(link, fault = null) {
    gateway.link = link;
    gateway.fault = fault;
    publish("link", link);
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
