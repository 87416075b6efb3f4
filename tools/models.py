#!/usr/bin/env python3
"""models.py FILE: writes the rows of spec/models.def to standard output.

FILE is model_prices_and_context_window.json of LiteLLM (MIT licence, notice in the output). The rows
contain facts only: limits, and what a model accepts. Run by hand when the facts change.
"""
import datetime
import json
import re
import sys

HEAD = """/* What models accept: limits in tokens, media, tools, kinds of reasoning.
 *
 * RC_MODEL(KIND, name, context, output, flags)
 *   KIND     kind of the provider whose models these are: OPENAI, ANTHROPIC, GEMINI
 *   name     the model; a row also covers the name with a date behind it, such as -2025-08-07
 *   context  input tokens; 0: not known
 *   output   output tokens of one response; 0: not known
 *   flags    RC_MODEL_ bits of lib/dialect/translate/model_facts.h
 * The first row whose name matches counts. A model without a row is assumed to accept everything but
 * reasoning settings, and its limits are not known.
 *
 * Written by tools/models.py on %s from the file model_prices_and_context_window.json of LiteLLM,
 * which is under the MIT licence:
 *
 *   Copyright (c) 2023 Berri AI
 *
 *   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 *   documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
 *   rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
 *   permit persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright
 *   notice and this permission notice shall be included in all copies or substantial portions of the Software. THE
 *   SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED. */

#ifndef RC_MODEL
#define RC_MODEL(KIND, name, context, output, flags)
#endif

#define F(ID) RC_MODEL_##ID
"""

DATE = re.compile(r"-(20\d\d-\d\d-\d\d|20\d{6}|\d\d-20\d\d)$")


def flags_of(kind, name, facts):
    def has(what):
        return facts.get("supports_" + what) is True

    flags = []
    for flag, what in (("VISION", "vision"), ("PDF", "pdf_input"), ("AUDIO", "audio_input"),
                       ("TOOLS", "function_calling"), ("SCHEMA", "response_schema"),
                       ("REASONING", "reasoning"), ("ADAPTIVE", "adaptive_thinking"),
                       ("MID_SYSTEM", "mid_conversation_system"),
                       ("EFFORT_NONE", "none_reasoning_effort"),
                       ("EFFORT_MINIMAL", "minimal_reasoning_effort"),
                       ("EFFORT_XHIGH", "xhigh_reasoning_effort"),
                       ("EFFORT_MAX", "max_reasoning_effort")):
        if has(what):
            flags.append(flag)
    if has("reasoning") and facts.get("supports_low_reasoning_effort") is not False:
        flags.append("EFFORT_LOW")
    fixed = facts.get("supports_sampling_params") is False
    if kind == "OPENAI" and has("reasoning") and "chat" not in name:
        fixed = True  # OpenAI's reasoning models refuse the parameters temperature and top_p.
    if not fixed:
        flags.append("SAMPLING")
    if kind == "GEMINI" and re.match(r"gemini-([3-9]|\d\d)", name):
        flags += ["SIGNATURES", "RESULT_MEDIA", "LEVELS"]
    return flags


def rows_of(prices):
    rows = {}
    for full, facts in prices.items():
        kind = (facts.get("litellm_provider") or "").upper()
        if kind not in ("OPENAI", "ANTHROPIC", "GEMINI"):
            continue
        if facts.get("mode") not in ("chat", "responses"):
            continue
        name = full.split("/")[-1]
        if name.startswith("ft:") or name == "container":
            continue
        rows[(kind, name)] = (facts.get("max_input_tokens") or 0,
                              facts.get("max_output_tokens") or 0, flags_of(kind, name, facts))
    return rows


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = rows_of(json.load(file))
    print(HEAD % datetime.date.today().isoformat())
    for (kind, name), facts in sorted(rows.items()):
        plain = DATE.sub("", name)
        if plain != name and rows.get((kind, plain)) == facts:
            continue
        context, output, flags = facts
        bits = " | ".join("F(%s)" % flag for flag in flags) or "0"
        print('RC_MODEL(%s, "%s", %d, %d, %s)' % (kind, name, context, output, bits))
    print("\n#undef F\n#undef RC_MODEL")


main()
