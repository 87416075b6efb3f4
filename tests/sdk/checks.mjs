// Checks of errors and headers that are the same for all SDKs.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";

// Returns the exception that `run` throws; fails if it throws none.
export async function thrown(run) {
    let value;
    try {
        value = await run();
    } catch (error) {
        return error;
    }
    return assert.fail(`nothing was thrown; the answer is ${JSON.stringify(value)?.slice(0, 300)}`);
}

// Returns a fetch function that counts its calls, so that tests notice an SDK's own retries.
export function counted() {
    const count = async (...args) => {
        count.requests++;
        return fetch(...args);
    };
    count.requests = 0;
    return count;
}

// Returns a port on which nobody listens.
export async function closedPort() {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address();
    server.close();
    await once(server, "close");
    return port;
}

// Returns the report in an error's body: at the top level or, in OpenAI's dialects, in the member "error".
export function reportOf(body) {
    assert.ok(("recourse" in body) !== ("recourse" in body.error), `not one report: ${JSON.stringify(body)}`);
    return body.recourse ?? body.error.recourse;
}

export function checkReport(report, { code, target }) {
    assert.equal(typeof report, "object", `no report: ${report}`);
    assert.match(report.report_id, /^rep_[0-9A-Z]{26}$/);
    assert.equal(report.error_code, code);
    assert.equal(typeof report.retryable, "boolean");
    assert.ok(report.message.length > 0 && report.user_action.kind.length > 0);
    assert.equal(`${report.provider}/${report.model}`, target);
    for (const secret of ["raw", "detail", "error_source"])
        assert.ok(!(secret in report) && !(secret in (report.provider_metadata ?? {})), secret);
}

// Checks the headers of an error response.
export function checkErrorHeaders(headers, report, { target, attempts = 1 }) {
    assert.equal(headers.get("x-recourse-report-id"), report.report_id);
    assert.equal(headers.get("x-recourse-error-code"), report.error_code);
    checkToldHeaders(headers, { target, attempts });
}

// Checks the headers that every response of a called provider has.
export function checkToldHeaders(headers, { target, attempts = 1 }) {
    assert.equal(headers.get("x-recourse-attempts"), String(attempts));
    assert.equal(decodeURIComponent(headers.get("x-recourse-target")), target);
    assert.match(headers.get("x-recourse-request-id"), /^req_[0-9A-Z]{26}$/);
}
