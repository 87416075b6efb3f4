#!/bin/sh
# run.sh: translated requests and responses against the types of the providers' SDKs. See node.sh.
exec "$(dirname "$0")/../support/node.sh" schemas "$@"
