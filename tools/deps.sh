#!/bin/sh
# Installs the missing Debian packages of the given groups (without arguments: build, test and bench).
# Prints nothing when nothing is missing. Needs only make.
set -eu

here=$(dirname "$0")
[ $# -gt 0 ] || set -- build test bench

wanted=$(for group in "$@"; do
    awk -v group="$group" '$1 == group { print $2, $3 }' "$here/packages.txt"
done | sort -u | while read -r package command; do
    # Some commands may be installed without their package, which would then conflict.
    [ -n "$command" ] && command -v "$command" >/dev/null || echo "$package"
done)
if [ -z "$wanted" ]; then
    echo "deps: no such group: $*" >&2
    exit 64
fi

if ! command -v dpkg-query >/dev/null; then
    echo "deps: this is not a Debian system; needed are the equivalents of:" >&2
    echo "$wanted" >&2
    exit 0 # the build reports missing packages itself
fi

# shellcheck disable=SC2086 # a list of words
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
    awk '$1 == "installed" { print $2 }') || true
missing=
for package in $wanted; do
    echo "$installed" | grep -qxF "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install="apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    sudo=sudo
else
    echo "deps: missing packages, and neither root nor sudo to install them. Please run as root:" >&2
    echo "    apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    exit 69
fi

echo "deps: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# The package lists may be missing on a new machine, or outdated on an old one.
# shellcheck disable=SC2086
$sudo $install >&2 || { $sudo apt-get update >&2 && $sudo $install >&2; }
