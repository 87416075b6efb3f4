#!/bin/sh
# run.sh: tests every view of the dashboard in a real browser, with a gateway that gets requests. See
# node.sh. The browser is Debian's chromium, or $CHROMIUM.
exec "$(dirname "$0")/../support/node.sh" dashboard "$@"
