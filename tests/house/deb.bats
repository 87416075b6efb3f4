#!/usr/bin/env bats
# The structure of the Debian package; `make deb-test` installs it.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || return; }

setup_file() {
    command -v dpkg-shlibdeps >/dev/null || skip "there is no dpkg-dev"
    export RECOURSE_BUILD=$BATS_FILE_TMPDIR
    deb=$("$RECOURSE_SOURCE/tools/deb.sh" "$(dirname "$RECOURSE")")
    export deb
    dpkg-deb -R "$deb" "$BATS_FILE_TMPDIR/tree"
    export tree=$BATS_FILE_TMPDIR/tree
}

@test "the package has its name, version and dependencies" {
    version=$(sed -n 's/^#define RC_VERSION "\(.*\)"$/\1/p' "$RECOURSE_SOURCE/include/recourse/version.h")
    [ "$(dpkg-deb -f "$deb" Package)" = recourse ]
    [ "$(dpkg-deb -f "$deb" Version)" = "$version" ]
    depends=$(dpkg-deb -f "$deb" Depends)
    for library in libc6 libuv1 libssl3 libsqlite3-0 libyaml-0-2 zlib1g ca-certificates; do
        [[ $depends == *"$library"* ]]
    done
    run ! grep -r '@[A-Z]*@' "$tree/DEBIAN"
}

@test "the package contains all files, owned by root" {
    for file in usr/bin/recourse usr/share/man/man1/recourse.1.gz usr/share/man/man1/recourse-serve.1.gz \
        usr/share/bash-completion/completions/recourse usr/share/zsh/vendor-completions/_recourse \
        usr/share/fish/vendor_completions.d/recourse.fish usr/lib/systemd/system/recourse.service \
        usr/lib/systemd/system/recourse.socket etc/recourse/recourse.yaml \
        usr/share/doc/recourse/copyright; do
        echo "$file"
        [ -f "$tree/$file" ]
    done
    run ! grep -v ' root/root ' <(dpkg-deb -c "$deb")
    run ! grep -E '^-.......w' <(dpkg-deb -c "$deb")
    [ "$(stat -c %a "$tree/etc/recourse/credentials")" = 700 ]
}

@test "the package has a maintainer, a changelog and the pages it refers to" {
    maintainer=$(dpkg-deb -f "$deb" Maintainer)
    [[ $maintainer =~ ^[^\<]+\ \<[a-z.]+@[a-z.]+\>$ && $maintainer != *localhost* ]]
    doc=$tree/usr/share/doc/recourse
    gzip -dc "$doc/changelog.gz" >changelog
    cat changelog
    [ "$(dpkg-parsechangelog -l changelog -S Version)" = "$(dpkg-deb -f "$deb" Version)" ]
    [ "$(dpkg-parsechangelog -l changelog -S Maintainer)" = "$maintainer" ]
    gzip -dc "$doc/NEWS.gz" | diff - "$RECOURSE_SOURCE/CHANGELOG.md"
    named=$(grep -o '/usr/share/doc/[a-zA-Z./-]*' "$tree/etc/recourse/recourse.yaml")
    [ -n "$named" ]
    for file in $named; do
        echo "$file"
        [ -s "$tree$file" ]
    done
    run ! grep -E '(^|[^/])docs/' "$tree/etc/recourse/recourse.yaml"
    DEBFULLNAME='A Builder' DEBEMAIL=builder@there.test RECOURSE_BUILD=$BATS_TEST_TMPDIR \
        "$RECOURSE_SOURCE/tools/deb.sh" "$(dirname "$RECOURSE")"
    [ "$(dpkg-deb -f "$BATS_TEST_TMPDIR"/*.deb Maintainer)" = 'A Builder <builder@there.test>' ]
}

@test "third-party code in the binary is listed in the copyright file with its licence" {
    copyright=$tree/usr/share/doc/recourse/copyright
    modules=$(sed -n 's|.*"/app/\(d3-[a-z]*\)\.min\.js".*|\1|p' "$RECOURSE_SOURCE/web/d3.js")
    [ "$(wc -w <<<"$modules")" = 3 ]
    for module in $modules llhttp; do
        echo "$module"
        grep -q "^Files:.*\b$module\b" "$copyright"
        grep -q "node-$module\b" "$copyright"
    done
    licences=$(sed -n 's/^License: //p' "$copyright" | sort -u)
    for terms in $licences; do
        echo "$terms"
        grep -A1 "^License: $terms$" "$copyright" | grep -q '^ '
    done
}

@test "the packaged command runs, and the example configuration is valid" {
    "$tree/usr/bin/recourse" --version
    "$tree/usr/bin/recourse" config check "$tree/etc/recourse/recourse.yaml"
}

@test "every file in /etc is a conffile" {
    diff <(cd "$tree" && find etc -type f | sed 's|^|/|' | sort) "$tree/DEBIAN/conffiles"
}

@test "the checksums are correct" {
    (cd "$tree" && md5sum -c --quiet DEBIAN/md5sums)
}

@test "the maintainer scripts work without systemd, and a purge removes our data" {
    [ ! -d /run/systemd/system ] || skip "systemd runs here"
    for script in postinst prerm; do
        "$tree/DEBIAN/$script" configure 0.0.1
        "$tree/DEBIAN/$script" remove
    done
    for script in postinst prerm postrm; do
        sh -n "$tree/DEBIAN/$script"
        shellcheck "$tree/DEBIAN/$script"
    done
    "$tree/DEBIAN/postrm" remove
}

@test "a missing command is an error" {
    run ! "$RECOURSE_SOURCE/tools/deb.sh" "$BATS_TEST_TMPDIR"
}
