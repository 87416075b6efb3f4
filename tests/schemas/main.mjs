// Checks that what lib/dialect writes is valid by the types of the official SDKs: the requests that
// tool_translate writes for the samples of tests/fuzz/corpus/translation, and the golden responses
// of tests/golden/translate. Unknown members are faults, too. exceptions.json lists what the types
// require and the providers leave out, and what the types lack.
import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import Ajv from "ajv";
import { createGenerator } from "ts-json-schema-generator";

import { Group, runAll } from "./tap.mjs";

const source = process.env.RECOURSE_SOURCE;
const tool = join(process.env.RECOURSE_BINARY, "tests", "tool_translate");
const NAMES = { chat: "Chat", messages: "Messages", responses: "Responses", gemini: "Gemini" };

// Exceptions by the name of a type: members that are removed from "required" (optional), and
// members that are allowed although the type lacks them (added).
const EXCEPTIONS = JSON.parse(readFileSync(join(source, "tests/schemas/exceptions.json")));

// The packages are beside the copy of main.mjs, in the current folder.
for (const name of ["types.ts", "tsconfig.json"])
    copyFileSync(join(source, "tests/schemas", name), name);

const generator = createGenerator({
    path: "types.ts",
    skipTypeCheck: true,
    additionalProperties: false,
    functions: "hide",
    jsDoc: "none",
    tsconfig: "tsconfig.json",
});

function applyExceptions(schema) {
    // An alias of a type has the type's definition under its own name.
    for (const [type, { optional = [], added = [] }] of Object.entries(EXCEPTIONS)) {
        const definition = schema.definitions[type];
        if (definition === undefined)
            continue;
        definition.required = (definition.required ?? []).filter((name) => !optional.includes(name));
        for (const name of added)
            definition.properties[name] = {};
    }
    return schema;
}

// A schema that is a choice of events is replaced by the event with the value's type, so that a fault
// is not reported for each other event.
const schemas = {};
const validators = {};
function validatorOf(type, value) {
    schemas[type] ??= applyExceptions(generator.createSchema(type));
    const { definitions } = schemas[type];
    const own = type.endsWith("Event") && value.type !== undefined
        ? Object.keys(definitions).find((name) => definitions[name].properties?.type?.const === value.type)
        : undefined;
    const key = own === undefined ? type : `${type}.${own}`;
    validators[key] ??= new Ajv({ strict: false }).compile(
        own === undefined ? schemas[type] : { $ref: `#/definitions/${encodeURIComponent(own)}`, definitions });
    return validators[key];
}

function check(type, value) {
    const validate = validatorOf(type, value);
    if (validate(value))
        return;
    const { instancePath, message, params } = validate.errors.at(-1);
    const lines = validate.errors.slice(0, 12).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
    throw new Error(`${type}: ${instancePath} ${message} ${JSON.stringify(params)}\n${lines.join("\n")}\n` +
                    JSON.stringify(value).slice(0, 2000));
}

const requests = new Group("requests");
const corpus = join(source, "tests/fuzz/corpus/translation");
const files = readdirSync(corpus).sort().map((name) => join(corpus, name));
const written = execFileSync(tool, files, { encoding: "utf8", maxBuffer: 1 << 26 });
for (const line of written.split("\n").filter(Boolean)) {
    const [to, file, body] = line.split("\t");
    requests.test(`${file.split("/").at(-1)} for ${to}`, async () => check(`${NAMES[to]}Request`, JSON.parse(body)));
}

const responses = new Group("responses");
const golden = join(source, "tests/golden/translate");
for (const name of readdirSync(golden).sort()) {
    const [, kind, to] = /\.(events|body)\.(\w+)$/.exec(name) ?? [];
    if (kind === undefined)
        continue;
    const text = readFileSync(join(golden, name), "utf8");
    responses.test(name, async () => {
        if (kind === "body")
            return check(`${NAMES[to]}Body`, JSON.parse(text));
        const events = text.split("\n").filter((l) => l.startsWith("data: ")).map((l) => l.slice(6));
        for (const event of events.filter((event) => event !== "[DONE]"))
            check(to === "gemini" ? "GeminiBody" : `${NAMES[to]}Event`, JSON.parse(event));
    });
}

// An invalid value must be a fault: otherwise the schemas would not check anything.
const control = new Group("control");
for (const [type, value] of [["ChatBody", { id: "x" }], ["MessagesEvent", { type: "message_stop", x: 1 }],
                             ["ResponsesRequest", { inputs: [] }], ["GeminiRequest", { contents: [], x: 1 }]])
    control.test(`${type} refuses an invalid value`, async () => {
        if (validatorOf(type, value)(value))
            throw new Error(`${type} accepts ${JSON.stringify(value)}`);
    });

if (requests.tests.length < 80 || responses.tests.length < 50)
    throw new Error(`only ${requests.tests.length} requests and ${responses.tests.length} responses were found`);
process.exit(await runAll([requests, responses, control], () => {}) > 0 ? 1 : 0);
