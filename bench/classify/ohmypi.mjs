// oh-my-pi ships TypeScript for Bun; its classifier alone is bundled for Node. The root of its
// utilities starts native code, and the classifier needs no more of it than this one module.
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
