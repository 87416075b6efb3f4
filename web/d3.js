// The functions of d3 that the charts use: shapes of lines, bands and stacks, round numbers for an axis. The build puts
// Debian's modules into the binary; each module adds its functions to the global d3.

import "/app/d3-path.min.js";
import "/app/d3-shape.min.js";
import "/app/d3-array.min.js";

export const { area, line, stack, max, nice, sum, ticks } = globalThis.d3;
