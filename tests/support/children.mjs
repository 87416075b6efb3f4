// Programs that run beside the tests and end with them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const START_MS = 120_000;
const STOP_MS = 120_000;
const running = [];

// The programs are ended, however the tests end.
process.once("exit", () => running.forEach(({ child }) => child.kill("SIGKILL")));

// Starts recourse with these arguments, and waits until its port is known. name: the name of the
// port file, which error messages contain.
export async function startChild(name, args, env) {
    const portFile = `${name}.port`;
    rmSync(portFile, { force: true });
    const child = spawn(process.env.RECOURSE, [...args, "--port-file", portFile],
        { env: { ...process.env, XDG_STATE_HOME: `${process.cwd()}/${name}.state`, ...env },
            stdio: ["ignore", "ignore", "pipe"] });
    let talk = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (talk += text));
    for (const end = Date.now() + START_MS; Date.now() < end && child.exitCode === null; await sleep(20)) {
        const port = existsSync(portFile) ? readFileSync(portFile, "utf8").trim() : "";
        if (port === "")
            continue;
        const made = { name, child, port, talk: () => talk };
        running.push(made);
        return made;
    }
    child.kill("SIGKILL");
    throw new Error(`recourse ${args[0]} did not start: ${talk}`);
}

// Ends the programs, the last one first. Each program must end with status 0; a sanitizer reports
// memory leaks here. Returns the output of the programs if one of them ended with another status.
export async function stopChildren() {
    const complaints = [];
    for (const { name, child, talk } of running.splice(0).reverse()) {
        const left = child.exitCode === null && child.signalCode === null ? once(child, "exit") : null;
        const limit = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
        child.kill("SIGTERM");
        await left;
        clearTimeout(limit);
        if (child.exitCode !== 0)
            complaints.push(`${name}: status ${child.exitCode} ${child.signalCode ?? ""}\n${talk()}`);
    }
    return complaints;
}
