// Requests to the gateway. The token is stored for this tab only and sent with each request.

const KEY = "recourse.token";
let token = null;
try {
    token = sessionStorage.getItem(KEY);
} catch {
    // If the browser forbids storage, the token must be entered again after a reload.
}

export function setToken(value) {
    token = value;
    try {
        if (value === null)
            sessionStorage.removeItem(KEY);
        else
            sessionStorage.setItem(KEY, value);
    } catch {
        // If the browser forbids storage, the token lasts until the page is reloaded.
    }
}

export const hasToken = () => token !== null;

// A failed request; status 0: the gateway did not respond.
export class Fault extends Error {
    constructor(status, message, advice) {
        super(message);
        this.status = status;
        this.advice = advice;
    }
}

let onRefused = () => {};
// Called when the token is missing or wrong. Not called if the token was replaced during the
// request.
export function whenRefused(call) {
    onRefused = call;
}

async function faultOf(response, sent) {
    let problem = {};
    try {
        problem = await response.json();
    } catch {
        // The body is not problem+json, so the message names the status.
    }
    const fault = new Fault(response.status,
        problem.detail || problem.title || `The gateway responded with status ${response.status}.`,
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
        throw new Fault(0, "The gateway does not respond.", "Check that its process is running.");
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

// A request that changes something. The header proves that no form of another site sent it.
export async function post(path, body, type = "application/json") {
    const response = await ask(path, { method: "POST", body,
        headers: { "content-type": type, "x-recourse-admin": "1" } });
    return response.json();
}

export const act = (path, reason) =>
    post(`/admin/v1/${path}`, JSON.stringify(reason ? { reason } : {}));

// A name as one path segment, its slashes escaped: a browser would resolve a model called "a/../b".
export function escapePath(name) {
    if (name === "." || name === "..")
        throw new Fault(0, `The name “${name}” cannot be part of a URL.`, "Choose another name in the configuration.");
    return encodeURIComponent(name);
}
