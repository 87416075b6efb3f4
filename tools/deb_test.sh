#!/bin/sh
# deb_test.sh: installs, runs, upgrades, removes and purges the package in a fresh Debian system in a
# temporary folder. Needs root, and the package archive that this machine's apt uses.
set -eu

cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "deb_test.sh: only root can make a root" >&2 && exit 1; }
first=$(tools/deb.sh)
second=$(DEB_VERSION=$(sed -n 's/^#define RC_VERSION "\(.*\)"$/\1/p' include/recourse/version.h)+1 tools/deb.sh)
site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -1)
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
root=$(mktemp -d)
finish() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap finish EXIT
chmod 755 "$root"

fail() {
    echo "not ok - $1"
    exit 1
}
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}
there() { # FILE...
    for file in "$@"; do [ -e "$root/$file" ] || fail "$file is not there"; done
}
gone() { # FILE...
    for file in "$@"; do [ ! -e "$root/$file" ] || fail "$file is still there"; done
}

debootstrap --variant=minbase "$suite" "$root" "$site" >"$root.log" 2>&1 || {
    tail -5 "$root.log"
    rm -f "$root.log"
    fail "no Debian could be made"
}
rm -f "$root.log"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp "$first" "$root/first.deb"
cp "$second" "$root/second.deb"
mount -t proc proc "$root/proc"

inside apt-get update -qq
inside apt-get install -y -qq --no-install-recommends ./first.deb >/dev/null
there usr/bin/recourse etc/recourse/recourse.yaml usr/lib/systemd/system/recourse.service
[ "$(stat -c %a "$root/etc/recourse/credentials")" = 700 ] || fail "the keys are open to others"
echo "ok - installs"

inside recourse --version
# systemd creates this folder before it starts the service; systemd does not run here.
mkdir -p "$root/var/lib/recourse"
inside recourse doctor --offline --config /etc/recourse/recourse.yaml >/dev/null || fail "the doctor"
# The admin server is switched off: its port may be in use on this machine.
sed 's/^admin: .*/admin: {listen: "off"}/' "$root/etc/recourse/recourse.yaml" >"$root/tmp/run.yaml"
inside sh -c 'cd /tmp && recourse serve --config run.yaml --listen 127.0.0.1:0 \
    --port-file port --log off & pid=$!
    for i in $(seq 100); do [ -s /tmp/port ] && break; sleep 0.1; done
    kill -TERM $pid && wait $pid && [ -s /tmp/port ]' || fail "the gateway does not run"
there var/lib/recourse/recourse.db
inside sh -c 'cd / && recourse audit list --config /etc/recourse/recourse.yaml' >/dev/null ||
    fail "the audit is not found"
echo "ok - runs"

echo '# mine' >>"$root/etc/recourse/recourse.yaml"
inside apt-get install -y -qq --no-install-recommends ./second.deb >/dev/null
[ "$(inside dpkg-query -W -f '${Version}' recourse)" = "$(dpkg-deb -f "$second" Version)" ] ||
    fail "it was not upgraded"
grep -q '^# mine$' "$root/etc/recourse/recourse.yaml" || fail "my configuration was changed"
echo "ok - upgrades, and keeps what was changed"

inside apt-get remove -y -qq recourse >/dev/null
gone usr/bin/recourse usr/lib/systemd/system/recourse.service
there etc/recourse/recourse.yaml var/lib/recourse/recourse.db
echo "ok - removes, and keeps configuration and audit"

inside apt-get purge -y -qq recourse >/dev/null
gone etc/recourse var/lib/recourse
echo "ok - purges"
