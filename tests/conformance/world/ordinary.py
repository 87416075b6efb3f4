#!/usr/bin/env python3
"""Counts how many ordinary texts a recourse binary takes for failures.

    ordinary.py [--binary PATH] [--count N] [--seed TEXT] [--more] [--show N] [--failure-most PERCENT] [--retry-most PERCENT]

Draws N texts that are no failure of a call from the files of Debian packages on this machine:
documentation, changelogs, manual pages, headers, sources in Python and Perl, messages of translated
programs; and makes messages of compilers, git, make and interpreters on the spot. The draw depends
on the installed files and the seed alone: another seed draws texts that nobody has looked at.
--more adds further kinds and catalogues. Nothing is copied into the tree.

A text counts as a failure if its code is not Unclassified. With a limit, a larger share is an error (exit status 1).
--show prints texts that are taken for failures.
"""

import argparse
import gettext
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from score import reports_of

HERE = Path(__file__).resolve().parent
LINES_MAX = 40  # maximum number of lines of one text
BYTES_MAX = 4000
CANDIDATES = 40  # maximum number of candidates from one file
# Words that failures use, too: every second text of a kind has one of them.
HARD = re.compile(
    r"error|fail|limit|timeout|timed out|quota|denied|invalid|not found|exceed|overload|retry|429|50[0234]|"
    r"connection|token|unavailable|conflict|lock|must|unsupported|not supported",
    re.IGNORECASE,
)
# Software that calls models or search services. The texts of such software may describe real
# failures.
EXCLUDED = re.compile(r"openai|anthropic|ollama|llm|recourse|/pip/|site-packages", re.IGNORECASE)
LANGUAGES = ("de", "es", "fr", "it", "ja", "ko", "pt_BR", "ru", "zh_CN")
CATALOGUES = ("make", "gprof", "ld", "tar", "sed", "grep", "diffutils", "findutils", "dpkg-dev", "man-db", "xz")
# Catalogues that --more adds; some of their programs use a network.
MORE = ("bash", "coreutils", "glib20", "gnupg2", "gtk30", "gettext-tools", "elfutils", "adduser", "appstream", "util-linux", "shadow")


seed = ""  # of the draw


def rank(text):
    return hashlib.sha256(f"{seed}{text}".encode()).digest()


def read(path):
    data = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
    return data[: 1 << 20].decode("utf-8", "replace")


def plain(page):
    """Returns the text of a manual page without most of its markup."""
    lines = [line for line in page.splitlines() if not re.match(r"[.'](\\\"|de|ie|el|nr|ds|if|\.)", line)]
    text = re.sub(r"(?m)^\.[A-Za-z]+ ?", "", "\n".join(lines))
    return re.sub(r"\\f(\(..|\[.*?\]|.)|\\&|\\[|^]", "", text).replace("\\-", "-")


def paragraphs(text):
    return [part.strip("\n") for part in re.split(r"\n\s*\n", text)]


def items(text):
    """Returns the entries of a changelog, which are as long as the subjects of commits."""
    parts = re.split(r"(?m)^\s*[*-] ", text)[1:]
    return [" ".join(part.split("\n\n")[0].split()) for part in parts]


def blocks(text):
    lines = text.splitlines()
    return ["\n".join(lines[i : i + 25]) for i in range(0, len(lines), 25)]


def pages(text):
    lines = text.splitlines()
    return ["\n".join(lines[i : i + LINES_MAX]) for i in range(0, len(lines), LINES_MAX)]


# kind: (folder, pattern of the names, how a file becomes texts)
KINDS = {
    "changelog entry": ("/usr/share/doc", r"changelog.*\.gz$", items),
    "changelog": ("/usr/share/doc", r"(changelog|NEWS).*(\.gz)?$", paragraphs),
    "documentation": ("/usr/share/doc", r"(README|FAQ|TO[D]O|HACKING|NEWS|.*\.(txt|md|html))(\.gz)?$", paragraphs),
    "documentation page": ("/usr/share/doc", r"(README|FAQ|.*\.(txt|md))(.*\.gz)?$", pages),
    "manual": ("/usr/share/man/man1", r"\.gz$", lambda text: paragraphs(plain(text))),
    "manual of calls": ("/usr/share/man/man3", r"\.gz$", lambda text: paragraphs(plain(text))),
    "manual page": ("/usr/share/man", r"\.[1578][a-z]*\.gz$", lambda text: pages(plain(text))),
    "header": ("/usr/include", r"\.h$", blocks),
    "Python source": ("/usr/lib/python3.11", r"\.py$", blocks),
    "Perl source": ("/usr/share/perl", r"\.p[lm]$", blocks),
}

# Kinds that --more adds.
MORE_KINDS = {
    "copyright": ("/usr/share/doc", r"copyright$", paragraphs),
    "scripts and units": ("/usr/share", r"\.(sh|m4|cmake|awk|tcl|lua|vim|el|service|xml|conf|ya?ml)$", blocks),
    "installed scripts": ("/usr/lib", r"\.(sh|awk|js|mjs|ts|rb|service|target|cnf|conf)$", blocks),
}


def files_of(folder, pattern):
    found = []
    for base, folders, names in os.walk(folder):
        folders.sort()
        found += [Path(base, name) for name in sorted(names) if re.search(pattern, name)]
    return [path for path in found if not EXCLUDED.search(str(path)) and path.is_file() and not path.is_symlink()]


def balanced(texts, want):
    """Returns `want` texts in the order of their hashes, half of them with words that failures use,
    too."""
    texts = sorted(set(texts), key=rank)
    hard = [text for text in texts if HARD.search(text)]
    easy = [text for text in texts if not HARD.search(text)]
    half = min(len(hard), want - want // 2)
    return hard[:half] + easy[: want - half]


def drawn(kind, want):
    folder, pattern, split = (KINDS | MORE_KINDS)[kind]
    texts = []
    for path in sorted(files_of(folder, pattern), key=lambda path: rank(f"{kind}:{path}")):
        if len(texts) >= 4 * want:
            break
        parts = [part[:BYTES_MAX] for part in split(read(path)) if len(part.strip()) >= 12]
        texts += sorted(parts, key=rank)[:CANDIDATES]
    return balanced(texts, want)


def translated(want, catalogues):
    """Returns messages of programs that make no calls, in other languages."""
    texts = []
    for language in LANGUAGES:
        for name in catalogues:
            path = gettext.find(name, "/usr/share/locale", [language])
            if path is None:
                continue
            with open(path, "rb") as file:
                catalogue = gettext.GNUTranslations(file)._catalog
            texts += [text for text in catalogue.values() if isinstance(text, str) and 12 <= len(text) <= 400]
    return balanced(texts, want)


def said(command, folder, text=""):
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C.UTF-8", "GIT_CONFIG_GLOBAL": "/dev/null"}
    ran = subprocess.run(
        command, cwd=folder, input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False
    )
    return ran.stdout.decode("utf-8", "replace")[:BYTES_MAX]


C_FAULTS = """
int f(void) { return missing; }
int f(void) { return g(1, 2) }
#include "no_such_file.h"
static int limit = "429";
int f(int n) { switch (n) { case 429: return 1; case 429: return 2; } return 0; }
struct token; int f(void) { struct token t; return 0; }
int f(int n) { int a[4]; return a[n + 429]; } int f(int n) { return n; }
void f(const char *s) { s[0] = 1; }
int f(void) { timeout(); rate_limit(503); return 0; }
_Static_assert(sizeof(int) == 8, "the limit is exceeded");
int main(int c, char **v) { printf("%s", 429); return 0; }
int f(int *p) { return p->error; }
enum { A = 1, A = 2 };
int f(void) { goto retry; }
int f(void) { unsigned x = -1; return x < 0 ? 503 : 429 }
#error "quota exceeded: this platform is not supported"
void f(int a, int a) { }
int f(void) { char c = 1000; return "invalid" * 2; }
""".strip().split("\n")
PYTHON_FAULTS = """
import no_such_module
{}['error']
[][429]
int('rate limit')
open('/nonexistent/token')
def f(): return f()\nf()
raise ValueError('limit must be positive')
assert False, 'expected 429, got 200'
1 / 0
None.choices
print(undefined_quota)
class A:\n  def f(self): pass\nA().f(1)
x = (1,
import json; json.loads('{"error": ')
raise KeyError('model')
raise TimeoutError('lock not acquired')
import subprocess; subprocess.run(['false'], check=True)
raise RuntimeError('queue is full') from KeyError('retry')
""".strip().split("\n")
SHELL = """
git checkout no-such-branch
git merge no-such-branch
git push
git pull
git rebase --continue
git commit -m x
git add no-such-file
git log no..such
git stash pop
git apply /dev/null
make no-such-target
make -f no-such-file
gcc no-such-file.c
gcc --help=warnings
gcc --help=common
gcc --help=params
gcc --help=optimizers
gcc -x c /dev/null -o a.out
python3 -m no_such_module
python3 --help
perl -e 'use No::Such;'
perl -e 'die "limit exceeded"'
perl -e '$x = ; 429'
bash -c 'no-such-command'
bash -c 'cat /no/such'
bash -c 'ls /root/x /no/such'
bash -c 'if then'
bash -c 'kill -9 999999'
bash -c 'ulimit -a'
sh -c 'cd /no/such'
tar xf /dev/null
tar --help
ld no-such.o
ar x no-such.a
sed s/x
grep -P '(' /dev/null
awk 'BEGIN { x = '
sort --no-such
dpkg --status no-such-package
cp no-such other
mkdir /proc/x
chmod 999 .
find . -bogus
xz -d no-such.xz
diff a b
node -e 'x.y'
node -e 'null.error'
node -e 'throw new Error("too many listeners, limit 429")'
node -e 'JSON.parse("{")'
node -e 'require("no-such-module")'
npm run no-such-script
npm test
cmake -S . -B build
shellcheck no-such.sh
""".strip().split("\n")


def made():
    """Returns messages of compilers, interpreters and tools about mistakes of their users."""
    texts = []
    with tempfile.TemporaryDirectory() as folder:
        said(["git", "init", "-q", "."], folder)
        for fault in C_FAULTS:
            for compiler in (["gcc", "-Wall", "-Wextra"], ["clang", "-Wall"]):
                texts.append(said([*compiler, "-fsyntax-only", "-x", "c", "-"], folder, fault.replace("\\n", "\n")))
        for fault in PYTHON_FAULTS:
            texts.append(said(["python3", "-"], folder, fault.replace("\\n", "\n")))
        for line in SHELL:
            output = said(["sh", "-c", line], folder)
            texts += [output, *paragraphs(output)[:8], *output.splitlines()[:12:3]]
    return sorted({text for text in texts if len(text.strip()) >= 12}, key=rank)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=HERE.parents[2] / "build/recourse")
    parser.add_argument("--count", type=int, default=2400)
    parser.add_argument("--seed", default="")
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--failure-most", type=float)
    parser.add_argument("--retry-most", type=float)
    args = parser.parse_args()
    global seed
    seed = args.seed

    sets = {"made on the spot": made()}
    kinds_drawn = KINDS | MORE_KINDS if args.more else KINDS
    share = (args.count - len(sets["made on the spot"])) // (len(kinds_drawn) + 1)
    sets |= {kind: drawn(kind, share) for kind in kinds_drawn}
    sets["other languages"] = translated(share, CATALOGUES + MORE if args.more else CATALOGUES)
    cases, kinds = [], []
    for kind, texts in sets.items():
        cases += [{"id": f"{kind}/{i}", "body": text} for i, text in enumerate(texts)]
        kinds += [kind] * len(texts)
    counts = defaultdict(lambda: [0, 0, 0])
    rules = defaultdict(int)
    for kind, case, report in zip(kinds, cases, reports_of(args.binary, cases)):
        is_failure = report["error_code"] != "Unclassified"
        for name in (kind, "all"):
            counts[name][0] += 1
            counts[name][1] += is_failure
            counts[name][2] += report["retryable"]
        if is_failure:
            rules[report["rule"]] += 1
            if args.show:
                args.show -= 1
                print(f"{kind}: {report['error_code']} by {report['rule']}: {case['body'][:300]!r}")
    print("| ordinary texts | drawn | called a failure % | retryable % |\n| --- | --- | --- | --- |")
    for name, (rows, failures, retries) in counts.items():
        print(f"| {name} | {rows} | {100 * failures / max(rows, 1):.1f} | {100 * retries / max(rows, 1):.1f} |")
    print("rules:", ", ".join(f"{rule} {n}" for rule, n in sorted(rules.items(), key=lambda pair: -pair[1])[:16]))
    rows, failures, retries = counts["all"]
    if rows == 0:
        sys.exit("ordinary.py: this machine has no documentation")
    limits = ((failures, args.failure_most), (retries, args.retry_most))
    sys.exit(any(most is not None and 100 * count > most * rows for count, most in limits))


if __name__ == "__main__":
    main()
