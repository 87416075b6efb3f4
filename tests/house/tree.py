#!/usr/bin/env python3
"""Checks the rules of the source tree. The rules are read from the tables of docs/architecture.md, so that
the page and the tree cannot drift apart.

    tree.py CHECK ROOT [BINARY]

Prints one line per violation and exits with 1 if there is any. BINARY is a build folder; only `calls` reads it.
"""

import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

FILES_MAX = 40
HEADERS_MAX = 40
PAIRS_MAX = 25
CODELESS = ("exchange", "loop", "request", "runtime", "state")
SOURCE_ROOTS = ("lib", "src")
PUBLIC = "include/recourse"


# ---- the page ----


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(text):
    """Yields (header cells, list of row cells) for each table of a Markdown page."""
    header, rows = None, []
    for line in [*text.splitlines(), ""]:
        if not line.lstrip().startswith("|"):
            if header is not None:
                yield header, rows
            header, rows = None, []
        elif header is None:
            header = cells(line)
        elif not re.fullmatch(r"[|:\s-]+", line.strip()):
            rows.append(cells(line))


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


class Page:
    """The tables of docs/architecture.md that are rules."""

    def __init__(self, root):
        self.path = Path(root, "docs/architecture.md")
        self.text = self.path.read_text(encoding="utf-8")
        self.may_include = {}  # folder: folders, in the order of the page
        self.exceptions = defaultdict(dict)  # name of a rule: {exception: reason}
        self.facts = {}  # table of spec/: the folders that include it
        for header, rows in tables(self.text):
            if header[0] == "folder" and "may include" in header:
                column = header.index("may include")
                for row in rows:
                    self.may_include[quoted(row[0])[0]] = quoted(row[column])
            elif header[0] == "table" and "included in" in header:
                column = header.index("included in")
                self.facts |= {quoted(row[0])[0]: set(quoted(row[column])) for row in rows}
            elif header[:2] == ["rule", "exception"]:
                for row in rows:
                    self.exceptions[row[0]][" ".join(quoted(row[1]))] = row[2]

    def layer_of(self, folder):
        """The row that a folder belongs to: its own, or that of the nearest folder above it."""
        while folder and folder not in self.may_include:
            folder = os.path.dirname(folder)
        return folder or None

    def allowed(self, layer):
        """All layers that one may include; `lib` stands for each layer of lib/."""
        folders = {layer, PUBLIC}
        for name in self.may_include[layer]:
            folders |= {row for row in self.may_include if name == "lib" and row.startswith("lib/")}
            folders.add(name)
        return folders


# ---- the tree ----


def sources(root, roots=SOURCE_ROOTS, endings=(".c", ".h", ".inc")):
    for top in roots:
        for path in sorted(Path(root, top).rglob("*")):
            if path.suffix in endings and path.is_file():
                yield path.relative_to(root).as_posix()


def read(root, path):
    return Path(root, path).read_text(encoding="utf-8")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def code(text, keep_strings=False):
    """The text without comments and, unless they are kept, without strings. Lines stay where they are."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: m.group() if keep_strings and m.group()[0] in "\"'" else blank(m), text,
                  flags=re.S)


def includes(root, files):
    """file: the files of ours that it includes itself."""
    known = set(files)
    found = defaultdict(list)
    for path in files:
        for mark, name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', read(root, path), re.M):
            here = [f"{os.path.dirname(path)}/{name}"] if mark == '"' else []
            for place in [*here, f"include/{name}", f"lib/{name}", f"src/{name}"]:
                if os.path.normpath(place) in known:
                    found[path].append(os.path.normpath(place))
                    break
    return found


def layer_includes(root, page):
    """Yields (file, layer of the file, included file, layer of that file) for each include that
    leads to another layer."""
    for path, targets in includes(root, list(sources(root, (*SOURCE_ROOTS, "include")))).items():
        layer = page.layer_of(os.path.dirname(path))
        for target in targets:
            other = page.layer_of(os.path.dirname(target))
            if None not in (layer, other) and layer != other:
                yield path, layer, target, other


# ---- the checks: each yields its violations ----


def check_table(root, _binary):
    """Rows of the table exist, and each may include rows above it alone."""
    page, above = Page(root), {"lib"}
    if not page.may_include:
        yield "docs/architecture.md: there is no table of folders"
    for folder, names in page.may_include.items():
        if not Path(root, folder).is_dir():
            yield f"docs/architecture.md: {folder} is no folder"
        for name in names:
            if name not in above:
                yield f"docs/architecture.md: {folder} may include {name}, which is not above it in the table"
        above.add(folder)
    for path in sources(root):
        if page.layer_of(os.path.dirname(path)) is None:
            yield f"{path}: no row of the table in docs/architecture.md has its folder"


def check_includes(root, _binary):
    """A file includes only files of the folders that its row allows."""
    page = Page(root)
    for path, layer, target, other in layer_includes(root, page):
        if other not in page.allowed(layer):
            yield f"{path} includes {target}: {layer} may not include {other}"


def symbols(binary, root):
    """Returns (defined: {symbol: source}, wanted: {source: symbols}) of the objects whose source
    exists."""
    objects = {}
    for path in sorted(Path(binary, "CMakeFiles").rglob("*.c.o")):
        match = re.search(r"\.dir/((?:lib|src)/.*\.c)\.o$", path.as_posix())
        if match and Path(root, match.group(1)).is_file():
            objects[str(path)] = match.group(1)
    defined, wanted = {}, defaultdict(set)
    if not objects:
        return defined, wanted
    shown = subprocess.run(["nm", "-A", "-P", *objects], check=False, capture_output=True, text=True)
    if shown.returncode != 0:
        sys.exit(f"{shown.stderr.strip()} (is a build running?)")
    for line in shown.stdout.splitlines():
        place, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        if kind == "U":
            wanted[objects[place]].add(name)
        elif kind.isupper():
            defined[name] = objects[place]
    return defined, wanted


def check_calls(root, binary):
    """What the linker sees: no layer calls one that its row does not allow, no two call each other, and each
    permission is used by a call or an include."""
    page = Page(root)
    defined, wanted = symbols(binary, root)
    if not defined:
        yield f"{binary}: no object of lib/ or src/"
    edges, used = defaultdict(dict), defaultdict(set)
    for _path, layer, _target, other in layer_includes(root, page):
        used[layer] |= {other, other.split("/")[0]}
    for path, names in wanted.items():
        layer = page.layer_of(os.path.dirname(path))
        for name in names & defined.keys():
            other = page.layer_of(os.path.dirname(defined[name]))
            if other == layer:
                continue
            edges[layer][other] = name
            used[layer] |= {other, other.split("/")[0]}
            if other not in page.allowed(layer):
                yield f"{path} uses {name} of {defined[name]}: {layer} may not include {other}"
    yield from (f"a cycle of folders: {' -> '.join(cycle)}" for cycle in cycles(edges))
    for layer, names in page.may_include.items():
        for name in names:
            if name not in used[layer]:
                yield f"docs/architecture.md: {layer} may include {name}, and nothing in it does"


def cycles(edges):
    """One cycle through each node that is on one, each cycle once."""
    seen = set()
    for start in sorted(edges):
        queue, before = [start], {start: None}
        while queue:
            node = queue.pop(0)
            for after in sorted(edges.get(node, {})):
                if after == start:
                    way = [start]
                    while node is not None:
                        way.append(node)
                        node = before[node]
                    if frozenset(way) not in seen:
                        seen.add(frozenset(way))
                        yield way[::-1]
                    queue = []
                    break
                if after not in before:
                    before[after] = node
                    queue.append(after)


def check_folders(root, _binary):
    counts = defaultdict(int)
    for path in sources(root):
        counts[os.path.dirname(path)] += 1
    for folder, count in sorted(counts.items()):
        if count > FILES_MAX:
            yield f"{folder}: {count} files, more than {FILES_MAX}"


def check_headers(root, _binary):
    """Headers of lib/ and src/ that a header pulls in."""
    graph = includes(root, list(sources(root)))

    def reach(path, found):
        for target in graph[path]:
            if target not in found:
                found.add(target)
                reach(target, found)
        return found

    for path in sources(root, endings=(".h",)):
        count = len(reach(path, set()) - {path})
        if count > HEADERS_MAX:
            yield f"{path}: pulls in {count} headers, more than {HEADERS_MAX}"


def type_names(text):
    """(name, is it a definition) of each struct, union, enum and typedef."""
    for match in re.finditer(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", text):
        yield match.group(1), match.start()
    for match in re.finditer(r"\btypedef\b([^;{]*)(\{)?", text):
        end, depth = match.start(), 0
        while end < len(text) and (text[end] != ";" or depth):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        flat = re.sub(r"\{.*\}", " {} ", text[match.start():end], flags=re.S)
        name = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", flat) or re.search(r"(\w+)\s*(?:\([^()]*\)|\[[^\]]*\])?\s*$", flat)
        tag = re.match(r"typedef\s+(?:const\s+)?(?:struct|union|enum)\s+(\w+)", flat)
        # `typedef struct x x` declares, and `typedef struct x {...} x` is counted by its tag.
        if name and not (tag and tag.group(1) == name.group(1)):
            yield name.group(1), match.start()


def check_types(root, _binary):
    """No two types of one name. Those of a .c file count when they begin with rc_."""
    places = defaultdict(list)
    for path in sources(root, (*SOURCE_ROOTS, "include"), (".c", ".h")):
        text = code(read(root, path))
        for name, at in type_names(text):
            if path.endswith(".h") or name.startswith("rc_"):
                places[name].append(f"{path}:{text.count(chr(10), 0, at) + 1}")
    for name, where in sorted(places.items()):
        if len(where) > 1:
            yield f"{name} is defined at {', '.join(where)}"


def listed(root, rule, pattern, is_home, keep_strings=False):
    """Files with the pattern in their code that are neither at home there nor listed on the page."""
    excepted = set(Page(root).exceptions[rule])
    found = set()
    for path in sources(root):
        text = code(read(root, path), keep_strings)
        match = re.search(pattern, text)
        if match is None or is_home(path):
            continue
        found.add(path)
        if path not in excepted:
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()} ({rule})"
    for path in sorted(excepted - found):
        yield f"docs/architecture.md: the exception is not needed any more: {path} ({rule})"


def check_errno(root, _binary):
    yield from listed(root, "errno", r"\berrno\b(?!\.h)", lambda path: path.startswith("src/sys/"))


def check_paths(root, _binary):
    pattern = r'"(?:GET |POST )?/(?:v1|v1beta|admin|p|healthz|readyz|metrics)(?:["/?]|\\)'
    yield from listed(root, "path", pattern, lambda path: False, keep_strings=True)


def check_upstream(root, _binary):
    calls = r"\brc_upstream_(?:new|start)\("
    homes = ("src/net/client/", "src/client/", "src/gateway/")
    yield from listed(root, "upstream", calls, lambda path: path.startswith(homes))


def check_codes(root, _binary):
    """lib/policy/outcome chooses the codes of the gateway's own failures. NONE is no code."""
    for path in sources(root, tuple(f"src/gateway/{name}" for name in CODELESS)):
        text = code(read(root, path))
        for match in re.finditer(r"\bRC_CODE_(?!NONE\b)\w*", text):
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}"


def check_opening(root, _binary):
    for path in sources(root, endings=(".c",)):
        if not read(root, path).startswith("/*"):
            yield f"{path}:1: the file does not open with a comment"


def check_named(root, _binary):
    """Every source file is named on a page of docs/internals: by its path, with or without the ending and the
    first folder, or as a noun in a table whose row or header names the folder."""
    paths, nouns = set(), set()
    for page in sorted(Path(root, "docs/internals").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        paths |= set(quoted(text))
        for header, rows in tables(text):
            folders = [name.rstrip("/") for name in quoted(header[0])]
            for row in rows:
                own = [name.rstrip("/") for name in quoted(row[0]) if Path(root, name).is_dir()]
                nouns |= {f"{folder}/{noun}" for folder in own or folders for noun in quoted(" ".join(row))}
    known = {re.sub(r"\.[ch]$", "", name) for name in paths | nouns}
    for path in sources(root):
        stem = re.sub(r"\.(c|h|inc)$", "", path)
        if not known & {stem, stem.split("/", 1)[1], path}:
            yield f"{path}: no page of docs/internals names it"


def check_spec(root, _binary):
    """Each table of spec/ is on the page, with the folders that include it."""
    page, users = Page(root), defaultdict(set)
    for path in sources(root):
        for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"spec/([^"]+)"', read(root, path), re.M):
            users[name].add(page.layer_of(os.path.dirname(path)))
    there = {path.name for path in Path(root, "spec").glob("*")}
    for name in sorted(there ^ page.facts.keys()):
        where = "docs/architecture.md does not list it" if name in there else "spec/ does not have it"
        yield f"spec/{name}: {where}"
    for name in sorted(there & page.facts.keys()):
        if users[name] != page.facts[name]:
            yield f"spec/{name}: included in {sorted(users[name])}; the page says {sorted(page.facts[name])}"


def check_links(root, _binary):
    """docs/architecture.md links every page of docs/internals, and every link of it leads to a file."""
    page = Page(root)
    links = set(re.findall(r"\]\(([^)#:]+)[^)]*\)", page.text))
    for path in sorted(Path(root, "docs/internals").glob("*.md")):
        if f"internals/{path.name}" not in links:
            yield f"docs/architecture.md: no link to internals/{path.name}"
    for link in sorted(links):
        if not Path(page.path.parent, link).exists():
            yield f"docs/architecture.md: {link} does not exist"


def check_hops(root, _binary):
    """Tables that follow a request: each function is defined in its file, and the sums below are right."""
    for page in sorted(Path(root, "docs/internals").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for header, rows in tables(text):
            if header[:3] != ["hop", "file", "function"]:
                continue
            for number, row in enumerate(rows, 1):
                path, function = quoted(row[1])[0], quoted(row[2])[0]
                if row[0] != str(number):
                    yield f"{page.name}: hop {row[0]} should be {number}"
                if not Path(root, path).is_file():
                    yield f"{page.name}: hop {number}: {path} does not exist"
                elif not re.search(rf"^\w.*\b{function}\(", read(root, path), re.M):
                    yield f"{page.name}: hop {number}: {path} has no {function}"
            total = f"{len(rows)} hops through {len({row[1] for row in rows})} files"
            if total not in text:
                yield f"{page.name}: the text does not say: {total}"
            yield from check_pairs(page.name, header, rows, text)


def check_pairs(name, header, rows, text):
    """Pairs of files of the gateway and the exchange, of which one calls the other: 25 at most."""
    if "called by" not in header:
        return
    own = [row for row in rows if quoted(row[1])[0].startswith(("src/gateway/", "lib/exchange/"))]
    names = {os.path.basename(quoted(row[1])[0]) for row in own}
    pairs = {(row[3], row[1]) for row in own if row[3] in names}
    if len(pairs) > PAIRS_MAX or f"{len(pairs)} pairs of files" not in text:
        yield f"{name}: {len(pairs)} pairs of files of the gateway and the exchange, {PAIRS_MAX} at most"


def check_nouns(root, _binary):
    """Tables of nouns: each name is declared in a header of its folder or below it."""
    for page in sorted(Path(root, "docs/internals").glob("*.md")):
        for header, rows in tables(page.read_text(encoding="utf-8")):
            if header[:3] != ["noun", "type", "folder"]:
                continue
            for row in rows:
                folder = quoted(row[2])[0]
                texts = [path.read_text(encoding="utf-8") for path in sorted(Path(root, folder).rglob("*.h"))]
                for name in quoted(row[1]):
                    if not any(re.search(rf"\b{name}(?:;| \{{|\()", code(text)) for text in texts):
                        yield f"{page.name}: {folder} declares no {name}"


def main(arguments):
    check, root, binary = (*arguments, None)[:3]
    found = list(globals()[f"check_{check}"](root, binary))
    if found:
        print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
