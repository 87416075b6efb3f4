// Measures the CPU time of each classifier, warmed up, over whole passes of the corpus. The turns
// are interleaved, and the median of the rounds counts.
const ROUNDS = 15;
const TURN_US = 20000;

function cpuUs() {
    const { user, system } = process.cpuUsage();
    return user + system;
}

// Keeps the engine from removing work whose result is not used.
let retries = 0;

async function passAsync(rival, inputs, prepare) {
    for (const input of inputs)
        retries += (await rival.ask(prepare(input))).retry;
}

function passSync(rival, inputs, prepare) {
    for (const input of inputs)
        retries += rival.ask(prepare(input)).retry;
}

// response: the measured time includes the creation of the error object. error: a new error object
// is created for each turn, before the clock starts, because some classifiers change the objects.
const WAYS = {
    response: (rival, calls) => [calls, rival.prepare],
    error: (rival, calls) => [calls.map(rival.prepare), (prepared) => prepared],
};

async function turn(rival, calls, way, passes) {
    let us = 0;
    for (let pass = 0; pass < passes; pass++) {
        const [inputs, prepare] = WAYS[way](rival, calls);
        const start = cpuUs();
        if (rival.isAsync)
            await passAsync(rival, inputs, prepare);
        else
            passSync(rival, inputs, prepare);
        us += cpuUs() - start;
    }
    return us / passes / calls.length;
}

// Returns the microseconds per row: a Map from the classifier to { response, error }.
export async function timeRivals(rivals, calls) {
    const turns = rivals.flatMap((rival) =>
        Object.keys(WAYS).map((way) => ({ rival, way, us: [] })));
    for (const one of turns) {
        await turn(one.rival, calls, one.way, 20); // warms up
        const us = (await turn(one.rival, calls, one.way, 20)) * calls.length;
        one.passes = Math.max(1, Math.ceil(TURN_US / Math.max(us, 1)));
    }
    for (let round = 0; round < ROUNDS; round++) {
        for (const one of turns)
            one.us.push(await turn(one.rival, calls, one.way, one.passes));
    }
    const times = new Map(rivals.map((rival) => [rival, {}]));
    for (const one of turns)
        times.get(one.rival)[one.way] = one.us.sort((a, b) => a - b)[ROUNDS >> 1];
    return times;
}
