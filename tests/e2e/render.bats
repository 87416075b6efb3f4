#!/usr/bin/env bats
# shellcheck disable=SC2016 # where an inner shell expands the variables
#
# recourse render: every format of a report, and every kind of invalid input.

bats_require_minimum_version 1.5.0
load wait

setup() {
    unset NO_COLOR COLUMNS LC_ALL LC_CTYPE
    export LANG=C.UTF-8 TERM=xterm TZ=UTC0
    cd "$BATS_TEST_TMPDIR" || return
    cat >report.json <<'END'
{
  "report_id": "rep_01M7H1BK6PDHXSQFVM35DTGB45",
  "error_type": "LLMCompletionError",
  "error_class": "ProviderTransient",
  "error_code": "RateLimited",
  "error_category": "transient",
  "error_domain": "runtime",
  "retryable": true,
  "message": "anthropic is limiting the rate of requests.",
  "detail": "inner words",
  "user_action": {"kind": "wait_and_retry", "detail": "Wait, or send fewer requests."},
  "provider": "anthropic",
  "model": "claude-sonnet-4-5",
  "provider_metadata": {"status": 429, "request_id": "req_011", "retry_after_ms": 4000,
                        "limit_kind": "tokens", "raw": "{\"type\":\"error\"}"},
  "context": {"run_id": "run_7"},
  "error_source": ["RateLimitError @ client.c:42 (in call)"],
  "http_status": 429,
  "cause": {"error_class": "ProviderTransient", "error_code": "ConnectionReset",
            "message": "The provider closed the connection before it responded."}
}
END
}

render() { "$RECOURSE" render "$@"; }

# refused STATUS POSITION ARG...: nothing on standard output, and the position on standard error.
refused() {
    local status_wanted=$1 place=$2
    shift 2
    run "-$status_wanted" --separate-stderr render "$@"
    echo "$stderr"
    [ -z "$output" ]
    [[ $stderr == *"$place"* ]]
}

@test "human is the default, without colour in a pipe" {
    run -0 --separate-stderr render report.json
    [[ $output == *"anthropic is limiting the rate of requests."*"Wait, or send fewer requests."* ]]
    [[ $output == *RateLimited* && $output != *$'\033'* && -z $stderr ]]
    [ "$(render --format human report.json | wc -l)" -eq "$(wc -l <<<"$output")" ]
}

@test "file, dash and no operand read the same" {
    render --format report report.json >file
    render --format report - <report.json >dash
    render --format report <report.json >nothing
    cmp file dash
    cmp file nothing
    cp report.json ./-odd
    render --format report -- -odd | cmp file
}

@test "the report format can be read again, also strictly" {
    render --format report report.json >once
    render --format report --strict once >twice
    cmp once twice
    [ "$(wc -l <once)" -eq 1 ]
}

@test "every format contains the code" {
    for format in human json markdown http report problem openai-chat openai-responses anthropic \
        gemini log otel; do
        run -0 --separate-stderr render --format "$format" report.json
        echo "$format: $output"
        [[ $output == *RateLimited* && -z $stderr ]]
    done
}

# timeless: removes carriage returns and the parts that depend on the clock.
timeless() {
    tr -d '\r' | grep -v '^date:' | sed 's/[0-9][0-9]:[0-9][0-9]:[0-9][0-9]/TIME/g'
}

@test "the default view: user, model or internal" {
    # Only the internal view has the detail; the model view has the category, the user view has neither.
    for format in human http problem openai-chat openai-responses anthropic gemini; do
        [ "$(render --format $format report.json | timeless)" = \
            "$(render --format $format --view user report.json | timeless)" ]
        run ! grep -q "inner words" <(render --format $format report.json)
    done
    for format in json markdown; do
        [ "$(render --format $format report.json)" = "$(render --format $format --view model report.json)" ]
        run ! grep -q "inner words" <(render --format $format report.json)
    done
    render --format report report.json | grep -q "inner words"
    render --format report --view internal report.json | cmp <(render --format report report.json)
}

@test "the internal view has more than the others" {
    for format in human json markdown report; do
        render --format $format --view internal report.json | grep -q "inner words"
    done
}

@test "an option that a format would ignore is refused" {
    refused 64 "--format log takes no --view" --format log --view user report.json
    refused 64 "--format otel takes no --view" --format otel --view user report.json
    refused 64 "--format human takes no --dialect" --dialect gemini report.json
    refused 64 "--format http takes no --stream" --format http --stream report.json
    refused 64 "--format report takes no --indent" --format report --indent 2 report.json
}

@test "http: status line, headers and a body of exactly the announced length" {
    for dialect in problem openai-chat openai-responses anthropic gemini; do
        render --format http --dialect $dialect report.json >answer
        head -n 1 answer | grep -q $'^HTTP/1.1 429 Too Many Requests\r$'
        length=$(tr -d '\r' <answer | sed -n 's/^content-length: //p')
        sed '1,/^\r$/d' answer >body
        [ "$(wc -c <body)" -eq "$length" ]
        render --format $dialect report.json >alone
        echo >>body
        cmp body alone
    done
    render --format http report.json | tr -d '\r' | grep -qx 'content-type: application/problem+json'
}

@test "stream: the end of a stream, blank line included" {
    for dialect in problem openai-chat openai-responses anthropic; do
        render --format $dialect --stream report.json >frame
        grep -q '^data: {' frame
        [ "$(tail -c 2 frame | od -An -c | tr -d ' ')" = '\n\n' ]
    done
    render --format anthropic --stream report.json | head -n 1 | grep -qx 'event: error'
    render --format openai-responses --stream report.json | grep -qx 'event: response.failed'
    # Gemini's frame has a second part, for SDKs that do not check events for errors.
    render --format gemini --stream report.json | tr -d '\r' >frame
    head -n 1 frame | grep -q '^data: {"error":'
    [ -z "$(sed -n 2p frame)" ]
    [ "data: $(sed -n 3p frame)" = "$(sed -n 1p frame)" ]
}

@test "json: one line, or several with --indent" {
    [ "$(render --format json report.json | wc -l)" -eq 1 ]
    render --format json --indent 3 report.json | sed -n 2p | grep -q '^   "error": true,$'
}

@test "colour and width apply to the panel" {
    run -0 render --color always report.json
    [[ $output == *$'\033'* ]]
    for width in 20 60 200; do
        LANG=C render --width $width report.json |
            awk -v width=$width 'length != width { print; bad = 1 } END { exit bad }'
    done
}

@test "without a UTF-8 locale a panel is ASCII" {
    LANG=C render --view internal report.json >panel
    run ! env LC_ALL=C grep -q '[^ -~]' panel
    render --view internal report.json | grep -q '^│'
}

@test "dropped parts are listed in one line, with pointers" {
    echo '{"error_code":"RateLimited","colour":1,"cause":{"message":"x","shape":{"a":[]}}}' >newer.json
    run -0 --separate-stderr render newer.json
    [ "$stderr" = "recourse render: newer.json: dropped unknown or invalid parts: /colour, /cause/shape" ]
    [[ $output == *RateLimited* ]]
}

@test "more drops than can be named are counted" {
    printf '{"message":"x"' >many.json
    for i in $(seq 11); do printf ',"key%d":%d' "$i" "$i" >>many.json; done
    printf '}' >>many.json
    run -0 --separate-stderr render many.json
    [[ $stderr == *": dropped unknown or invalid parts: /key1, /key2, "*"/key8 and 3 more" ]]
}

@test "an unknown value becomes unknown and is listed" {
    run -0 --separate-stderr render --format report - <<<'{"error_code":"Brandnew","message":"x"}'
    [[ $output == *'"error_code":"unknown"'* ]]
    [ "$stderr" = "recourse render: <stdin>: dropped unknown or invalid parts: /error_code" ]
    refused 65 '<stdin>:1:15: unknown value "Brandnew" at /error_code' --strict \
        - <<<'{"error_code":"Brandnew","message":"x"}'
}

@test "damage: the readable part is shown, and the position is reported" {
    head -n 8 report.json >cut.json
    printf '  "message": "anthropic is lim' >>cut.json
    run -0 --separate-stderr render cut.json
    [[ $output == *"anthropic is lim"*RateLimited* || $output == *RateLimited*"anthropic is lim"* ]]
    [[ $stderr == "recourse render: cut.json:9:"*"; the valid part is shown" ]]
    refused 65 "cut.json:9:" --strict cut.json
}

@test "strict reports file, line, column and pointer" {
    printf '{\n "message": "x",\n "cause": {"colour": 1}}\n' >bad.json
    refused 65 'bad.json:3:12: unknown key "colour" at /cause/colour' --strict bad.json
    printf '{"message":"x","message":"y"}' >bad.json
    refused 65 'bad.json:1:16: duplicate key "message" at /message' --strict bad.json
    printf '{"message":7}' >bad.json
    refused 65 'bad.json:1:12: expected a string at /message' --strict bad.json
    printf '{"message":"x"} {}' >bad.json
    refused 65 'bad.json:1:17: ' --strict bad.json
}

@test "empty input" {
    : >empty.json
    refused 65 "empty.json:1:1: " empty.json
    refused 65 "empty.json:1:1: " --strict empty.json
    refused 65 "<stdin>:1:1: " </dev/null
    printf ' \n\n' >empty.json
    refused 65 "empty.json:3:1: " empty.json
}

@test "an array, a string, a number instead of an object" {
    for text in '[{"message":"x"}]' '"x"' 42 null true; do
        refused 65 "<stdin>:1:1: expected an object" <<<"$text"
        refused 65 "<stdin>:1:1: expected an object" --strict <<<"$text"
    done
}

@test "an object that is not a report" {
    refused 65 "<stdin>:1:1: not a report: no error_code" <<<'{"error":{"type":"overloaded_error"}}'
    refused 65 "<stdin>:1:1: not a report: no error_code" <<<'{}'
}

@test "binary input" {
    head -c 4096 /dev/zero >zero.bin
    refused 65 "zero.bin:1:1: " zero.bin
    printf '\177ELF\002\001\001\000\377\376' >elf.bin
    refused 65 "elf.bin:1:" elf.bin
    refused 65 "elf.bin:1:1: " --strict elf.bin
}

@test "control characters and invalid UTF-8 in a report do not reach the terminal" {
    printf '{"error_code":"RateLimited","message":"a\\u001b[31mb\\u0007c\377d","x\033y":1}' >ugly.json
    run -0 --separate-stderr render ugly.json
    [[ $output$stderr != *$'\033'* && $output$stderr != *$'\a'* && $output == *'[31mb'* ]]
    refused 65 "ugly.json:1:" --strict ugly.json
    [[ $stderr != *$'\033'* ]]
}

@test "more than 16 MiB is refused" {
    head -c $((16 * 1024 * 1024 + 1)) /dev/zero | tr '\0' ' ' >big.json
    refused 65 "big.json: larger than the limit of 16 MiB" big.json
    refused 65 "<stdin>: larger than the limit of 16 MiB" --format json - <big.json
}

@test "a refusal is a report: a panel, or JSON with --format json" {
    refused 65 ShapeInvalid <<<'[]'
    [[ $stderr == *"Fix the request"* && $stderr == *rep_* ]]
    refused 65 '"error_code":"ShapeInvalid"' --format json <<<'[]'
    [[ $stderr == '{"error":true,'*'"message":"<stdin>:1:1: expected an object"'* ]]
    [[ $stderr == *'"line":1,"column":1'* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    refused 65 '"pointer":"/cause/colour"' --strict --format json <<<'{"cause":{"colour":1}}'
}

@test "a missing file, an unreadable file, or a folder" {
    refused 66 "recourse render: cannot read nothing.json: No such file or directory" nothing.json
    mkdir folder
    refused 66 "recourse render: cannot read folder: Is a directory" folder
    refused 66 "recourse render: cannot read report.json/x: Not a directory" report.json/x
    run -66 --separate-stderr bash -c '"$RECOURSE" render <&-'
    [ "$stderr" = "recourse render: cannot read <stdin>: Bad file descriptor" ]
    [ "$(id -u)" -eq 0 ] || {
        chmod 000 report.json
        refused 66 "recourse render: cannot read report.json: Permission denied" report.json
    }
}

@test "an unusual file name is escaped" {
    odd=$'od\033[31md\n.json'
    refused 66 'cannot read od' "$odd"
    [[ $stderr != *$'\033'* && $(wc -l <<<"$stderr") -eq 1 ]]
    echo '[]' >"$odd"
    refused 65 'ShapeInvalid' "$odd"
    [[ $stderr != *$'\033'* ]]
}

@test "a secret in the input is not printed" {
    key=sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdef
    printf '{"error_code":"AuthFailed","message":"bad key %s","detail":"%s","%s":1}' \
        $key $key $key >secret.json
    for format in human json markdown http report problem anthropic log otel; do
        run -0 --separate-stderr render --format $format secret.json
        [[ $output$stderr != *AbCdEfGhIj* ]]
    done
    refused 65 secret.json:1: --strict secret.json
    [[ $stderr != *AbCdEfGhIj* ]]
}

@test "lost output is reported: 74" {
    run -74 --separate-stderr bash -c '"$RECOURSE" render report.json >/dev/full'
    [ "$stderr" = "recourse: cannot write the output: No space left on device" ]
}

# Waits until the process catches SIGINT (bit 1 of the mask), so that the handler is installed.
catches_sigint() { # PID
    local mask
    mask=$(awk '/^SigCgt/ { print $2 }' "/proc/$1/status")
    [ -n "$mask" ] && (((0x$mask & 2) != 0))
}

@test "SIGINT and SIGTERM end it: 130, 143" {
    mkfifo pipe
    exec 9<>pipe
    for signal in INT:130 TERM:143; do
        env --default-signal=INT,TERM "$RECOURSE" render <pipe 3>&- &
        pid=$!
        wait_for catches_sigint $pid
        kill -s "${signal%:*}" $pid
        status=0
        wait $pid || status=$?
        [ "$status" -eq "${signal#*:}" ]
    done
    exec 9>&-
}
