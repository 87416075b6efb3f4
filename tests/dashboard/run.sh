#!/bin/sh
# run.sh: every view of the dashboard in a real browser, in front of a gateway with real traffic. See
# node.sh. The browser is Debian's chromium, or $CHROMIUM.
exec "$(dirname "$0")/../support/node.sh" dashboard "$@"
