// What every client must be able to read, however its SDK hands it on.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";

// Fails unless it throws. Gives what was thrown.
export async function thrown(run) {
    let value;
    try {
        value = await run();
    } catch (error) {
        return error;
    }
    return assert.fail(`nothing was thrown; the answer is ${JSON.stringify(value)?.slice(0, 300)}`);
}

// A fetch that counts: what an SDK sends again by itself is seen here.
export function counted() {
    const count = async (...args) => {
        count.requests++;
        return fetch(...args);
    };
    count.requests = 0;
    return count;
}

// A port on which nobody listens.
export async function closedPort() {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address();
    server.close();
    await once(server, "close");
    return port;
}

// The report in an error's body, which has it once: at its top or, in OpenAI's dialects, in its error.
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

// headers: of an answer that is an error.
export function checkErrorHeaders(headers, report, { target, attempts = 1 }) {
    assert.equal(headers.get("x-recourse-report-id"), report.report_id);
    assert.equal(headers.get("x-recourse-error-code"), report.error_code);
    checkToldHeaders(headers, { target, attempts });
}

// headers: of any answer that a provider was asked for.
export function checkToldHeaders(headers, { target, attempts = 1 }) {
    assert.equal(headers.get("x-recourse-attempts"), String(attempts));
    assert.equal(decodeURIComponent(headers.get("x-recourse-target")), target);
    assert.match(headers.get("x-recourse-request-id"), /^req_[0-9A-Z]{26}$/);
}
