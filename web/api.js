// Questions to the gateway. The token is kept for this tab alone and sent with each of them.

const KEY = "recourse.token";
let token = null;
try {
    token = sessionStorage.getItem(KEY);
} catch {
    // Without storage it has to be typed again after a reload.
}

export function setToken(value) {
    token = value;
    try {
        if (value === null)
            sessionStorage.removeItem(KEY);
        else
            sessionStorage.setItem(KEY, value);
    } catch {
        // As above.
    }
}

export const hasToken = () => token !== null;

// What went wrong: status 0 is no answer at all.
export class Fault extends Error {
    constructor(status, message, advice) {
        super(message);
        this.status = status;
        this.advice = advice;
    }
}

let onRefused = () => {};
// Called when the token is missing or wrong; not for one that was replaced while the answer was on its way.
export function whenRefused(call) {
    onRefused = call;
}

async function faultOf(response, sent) {
    let problem = {};
    try {
        problem = await response.json();
    } catch {
        // No problem+json: the status has to do.
    }
    const fault = new Fault(response.status,
        problem.detail || problem.title || `The gateway answered with status ${response.status}.`,
        problem.user_action?.detail);
    if (response.status === 401 && sent === token)
        onRefused(fault);
    return fault;
}

export async function ask(path, options = {}) {
    const headers = { ...options.headers };
    const sent = token;
    if (sent !== null)
        headers.authorization = `Bearer ${sent}`;
    let response;
    try {
        response = await fetch(path, { ...options, headers, cache: "no-store",
            credentials: "same-origin", redirect: "error", referrerPolicy: "no-referrer" });
    } catch (error) {
        if (error.name === "AbortError")
            throw error;
        throw new Fault(0, "The gateway does not answer.", "Is the process running?");
    }
    if (!response.ok)
        throw await faultOf(response, sent);
    return response;
}

export async function get(path, query = {}, signal = undefined) {
    const pairs = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const response = await ask(pairs.length > 0 ? `${path}?${pairs.join("&")}` : path, { signal });
    return response.json();
}

// What changes something: a header that no form can send shows where it comes from.
export async function post(path, body, type = "application/json") {
    const response = await ask(path, { method: "POST", body,
        headers: { "content-type": type, "x-recourse-admin": "1" } });
    return response.json();
}

export const act = (path, reason) =>
    post(`/admin/v1/${path}`, JSON.stringify(reason ? { reason } : {}));

// A name as one step of a path, its slashes included: a model may be called "a/../b", and a browser would go up there.
export function escapePath(name) {
    if (name === "." || name === "..")
        throw new Fault(0, `An address cannot name “${name}”.`, "Change it in the configuration.");
    return encodeURIComponent(name);
}
