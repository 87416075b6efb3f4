// oh-my-pi ships TypeScript for Bun; only its classifier is bundled for Node. The package's entry point
// loads native code, which the classifier does not need.
import { build } from "esbuild";

const ENTRY = `
export { classify, retriable, is, Flag } from "@oh-my-pi/pi-ai/error/flags";
export { OpenAIHttpError, ProviderHttpError } from "@oh-my-pi/pi-ai/error/classes";
export * from "@oh-my-pi/pi-ai/error/body-error";
export { extractRetryHint } from "@oh-my-pi/pi-utils/fetch-retry";
`;

export async function loadOhMyPi() {
    const result = await build({
        stdin: { contents: ENTRY, resolveDir: import.meta.dirname ?? process.cwd() },
        bundle: true,
        format: "esm",
        platform: "node",
        write: false,
    });
    const source = Buffer.from(result.outputFiles[0].contents).toString("base64");
    return import(`data:text/javascript;base64,${source}`);
}
