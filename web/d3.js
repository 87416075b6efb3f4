// What the charts use of d3: the shapes of lines, bands and stacks, round numbers for an axis. Its
// modules are Debian's, put into the binary by the build; each adds its own part to the one name.

import "/app/d3-path.min.js";
import "/app/d3-shape.min.js";
import "/app/d3-array.min.js";

export const { area, line, stack, max, nice, sum, ticks } = globalThis.d3;
