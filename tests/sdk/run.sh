#!/bin/sh
# run.sh: the SDKs of OpenAI, Anthropic and Google, and curl, against recourse serve with recourse
# mock behind it. See node.sh.
exec "$(dirname "$0")/../support/node.sh" sdk "$@"
