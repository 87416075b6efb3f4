#!/bin/sh
# deb.sh [FOLDER]: makes the Debian package of the command in $RECOURSE_BUILD, from the release build
# or from the build in FOLDER, and prints its path. DEB_VERSION: a version other than the project's.
# DEBFULLNAME and DEBEMAIL: the maintainer of the package, as in Debian's tools.
set -eu

cd "$(dirname "$0")/.."
root=${RECOURSE_BUILD:-build}
built=${1:-$root/release}
arch=$(dpkg --print-architecture)
version=${DEB_VERSION:-$(sed -n 's/^#define RC_VERSION "\(.*\)"$/\1/p' include/recourse/version.h)}
maintainer="${DEBFULLNAME:-The maintainers of Recourse} <${DEBEMAIL:-maintainers@recourse.invalid}>"
name=recourse_${version}_$arch.deb
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
tree=$stage/tree
# The packaged files must be readable by everybody.
umask 022
chmod 755 "$stage"

put() { # MODE FILE DESTINATION
    install -D -m "$1" "$2" "$tree/$3"
}

put 755 "$built/recourse" usr/bin/recourse
strip --strip-unneeded "$tree/usr/bin/recourse"
for page in man/*.[1-9]; do
    put 644 "$page" "usr/share/man/man${page##*.}/${page##*/}"
    gzip -9n "$tree/usr/share/man/man${page##*.}/${page##*/}"
done
put 644 completions/recourse.bash usr/share/bash-completion/completions/recourse
put 644 completions/recourse.zsh usr/share/zsh/vendor-completions/_recourse
put 644 completions/recourse.fish usr/share/fish/vendor_completions.d/recourse.fish
for unit in packaging/systemd/*; do
    put 644 "$unit" "usr/lib/systemd/system/${unit##*/}"
done
put 644 packaging/recourse.yaml etc/recourse/recourse.yaml
put 644 packaging/recourse.yaml usr/share/doc/recourse/examples/recourse.yaml
put 644 packaging/debian/copyright usr/share/doc/recourse/copyright
install -d -m 700 "$tree/etc/recourse/credentials"
# The configuration and the systemd units refer to these pages.
for page in configuration deployment; do
    put 644 "docs/$page.md" "usr/share/doc/recourse/$page.md"
done
# The project's changelog as text, and a changelog in Debian's format that refers to it.
put 644 CHANGELOG.md usr/share/doc/recourse/NEWS
made=$(date -u -R -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y CHANGELOG.md)}")
printf 'recourse (%s) stable; urgency=medium\n\n  * What has changed is in NEWS.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$made" | gzip -9n >"$stage/changelog.gz"
put 644 "$stage/changelog.gz" usr/share/doc/recourse/changelog.gz
gzip -9n "$tree/usr/share/doc/recourse/NEWS"

# The packages of the libraries that the command is linked with, with their minimum versions.
mkdir -p "$stage/debian" "$tree/DEBIAN"
printf 'Source: recourse\nPackage: recourse\nArchitecture: any\n' >"$stage/debian/control"
depends=$(cd "$stage" && dpkg-shlibdeps -O -e"$tree/usr/bin/recourse" 2>/dev/null |
    sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { echo "deb.sh: the libraries of the command are of no package" >&2 && exit 1; }
size=$(du -sk "$tree" | cut -f1)
sed -e "s/@VERSION@/$version/" -e "s/@ARCH@/$arch/" -e "s/@SIZE@/$size/" \
    -e "s/@DEPENDS@/$depends/" -e "s/@MAINTAINER@/$maintainer/" packaging/debian/control.in >"$tree/DEBIAN/control"
cp packaging/debian/conffiles "$tree/DEBIAN/conffiles"
for script in postinst prerm postrm; do
    install -m 755 "packaging/debian/$script" "$tree/DEBIAN/$script"
done
(cd "$tree" && find usr -type f -exec md5sum {} +) | sort -k 2 >"$tree/DEBIAN/md5sums"
chmod 644 "$tree/DEBIAN/control" "$tree/DEBIAN/conffiles" "$tree/DEBIAN/md5sums"

mkdir -p "$root"
dpkg-deb --root-owner-group --build "$tree" "$stage/$name" >/dev/null
mv -f "$stage/$name" "$root/$name"
echo "$root/$name"
