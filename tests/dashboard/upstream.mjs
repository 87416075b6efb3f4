// A hostile provider: its errors contain text that attacks a page. The model's name selects the attack.
import { createServer } from "node:http";

// Scripts, broken quotes, terminal escapes, marks of text direction, and very long texts.
export const HOSTILE = {
    image: '<img src=x onerror="window.harmed=1">',
    script: "</script><script>window.harmed=1</script>",
    svg: '"><svg onload="window.harmed=1"><a href="javascript:window.harmed=1">x</a>',
    quotes: "'\"`${window.harmed=1}{{7*7}}</textarea></title></style>",
    ansi: "\u001b[31mred\u001b[0m\u001b]0;title\u0007\u009b2J",
    bidi: "\u202egnp.exe\u202c \u2066hidden\u2069 \u200b\u200f\ufeff",
    template: "__proto__ constructor [object Object] %s %n &lt;b&gt; \\u003cb\\u003e",
    long: "x".repeat(1 << 20),
    words: "many words ".repeat(4000),
};

// A response without token counts.
const SILENT = { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "silent", choices: [
    { index: 0, finish_reason: "stop", message: { role: "assistant", content: "some words of an answer" } }] };

function answer(request, response, body) {
    const model = JSON.parse(body || "{}").model || "";
    const kind = model.replace(/^evil-/, "");
    if (kind === "silent") {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(SILENT));
        return;
    }
    if (kind === "poor") {
        response.writeHead(429, { "content-type": "application/json", "retry-after": "600" });
        response.end(JSON.stringify({ error: { message: "You exceeded your current quota, please check your plan and " +
            "billing details.", type: "insufficient_quota", code: "insufficient_quota" } }));
        return;
    }
    const text = HOSTILE[kind] || `no such model: ${model}`;
    response.writeHead(400, { "content-type": "application/json", "x-request-id": `req-${kind}-<b>` });
    response.end(JSON.stringify({ error: { message: text, type: text.slice(0, 200), code: text.slice(0, 200),
        param: text.slice(0, 200) } }));
}

export async function startUpstream() {
    const server = createServer((request, response) => {
        let body = "";
        request.setEncoding("utf8").on("data", (text) => (body += text)).on("end", () =>
            answer(request, response, body));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${server.address().port}`, close: () => {
        server.closeAllConnections();
        server.close();
    } };
}
