"""Reads test cases from a file whose text describes bytes."""

import re

ESCAPES = {b"r": b"\r", b"n": b"\n", b"t": b"\t", b"0": b"\0", b"\\": b"\\"}


def decode(text, words):
    """Returns the bytes that `text` describes. The function first replaces words, then repetitions,
    then escapes. A backslash at the end of a line joins the lines."""
    for word, meaning in words.items():
        text = text.replace(word.encode(), meaning.replace(b"\\", b"\\\\").replace(b"\r", b"\\r")
                            .replace(b"\n", b"\\n"))
    text = re.sub(rb"\\\{(\d+),((?:[^}\\]|\\.)*)\}", lambda m: m[2] * int(m[1]), text)
    return re.sub(rb"\\(x[0-9a-f]{2}|.|$)", lambda m: bytes([int(m[1][1:], 16)])
                  if m[1][:1] == b"x" else ESCAPES.get(m[1], b""), text)


def read_cases(path, words_of):
    """Returns (name, further words of the "case" line, bytes) for each case. words_of(name) returns the values of the
    $words."""
    cases = []
    with open(path, "rb") as file:
        for line in file.read().split(b"\n"):
            if line.startswith(b"case "):
                words = line.decode().split(" ")
                cases.append((words[1], words[2:], []))
            elif line and not line.startswith(b"#"):
                cases[-1][2].append(line)
    return [(name, rest, decode(b"".join(lines), words_of(name))) for name, rest, lines in cases]
