#!/usr/bin/env bats
# shellcheck disable=SC2016 # where an inner shell expands the variables
#
# recourse explain: errors in their common forms, every option, and every kind of invalid input.

bats_require_minimum_version 1.5.0

setup() {
    unset NO_COLOR COLUMNS LC_ALL LC_CTYPE
    export LANG=C.UTF-8 TERM=xterm TZ=UTC0
    cd "$BATS_TEST_TMPDIR" || return
    body='{"error":{"type":"rate_limit_error","message":"Slow down."}}'
    printf 'HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 20\r\n\r\n%s\r\n' \
        "$body" >curl-i
    cat >my.rules <<'END'
# the relay says so when its own pool is empty
rule relay.pool_empty
  when status:503 and text:"pool is empty"
  then Overloaded
  because "the relay has no connection left"
END
}

explain() { "$RECOURSE" explain "$@"; }

# says CODE ARG...: checks the code for the input or the options.
says() {
    local code=$1
    shift
    run -0 --separate-stderr explain --format report "$@"
    echo "$output"
    echo "$stderr"
    [[ $output == *"\"error_code\":\"$code\""* ]]
}

# refused STATUS TEXT ARG...: nothing on standard output, and the text on standard error.
refused() {
    local status_wanted=$1 words=$2
    shift 2
    run "-$status_wanted" --separate-stderr explain "$@"
    echo "$stderr"
    [ -z "$output" ]
    [[ $stderr == *"$words"* ]]
}

# Runs a shell command on a terminal of its own; its screen is the output.
on_terminal() { # COLUMNS COMMAND
    script -qec "stty cols $1; $2" /dev/null </dev/null | tr -d '\r'
}

# ---- input forms ----

@test "curl -i: status, headers and body" {
    says RateLimited curl-i
    [[ $output == *'"retry_after_ms":20000'* && $output == *'"status":429'* ]]
    [[ $output == *'"type":"rate_limit_error"'* && -z $stderr ]]
    tr -d '\r' <curl-i >lf
    says RateLimited lf
    [[ $output == *'"retry_after_ms":20000'* ]]
}

@test "file, dash and no operand read the same" {
    for input in "curl-i" "-" ""; do
        # shellcheck disable=SC2086 # no operand at all is one of the three
        says RateLimited $input <curl-i
    done
    cp curl-i ./-odd
    says RateLimited -- -odd
}

@test "of several responses the last one is used" {
    { printf 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Connection established\r\n\r\n' && cat curl-i; } >several
    says RateLimited several
    [[ $output == *'"status":429'* ]]
}

@test "curl -v: the response between its verbose lines" {
    printf '*   Trying 127.0.0.1:443...\n> POST /v1/messages HTTP/2\n> \n< HTTP/2 429 \n< retry-after: 7\n< \n{ [60 bytes data]\n%s* Connection #0 to host x left intact\n' "$body" >curl-v
    says RateLimited curl-v
    [[ $output == *'"retry_after_ms":7000'* ]]
}

@test "curl's own failures" {
    says ConnectionFailed - <<<'curl: (7) Failed to connect to 127.0.0.1 port 1: Connection refused'
    says NetworkTimeout - <<<'curl: (28) Connection timed out after 5000 milliseconds'
    says RateLimited - <<<'curl: (22) The requested URL returned error: 429'
}

@test "a browser's list of headers" {
    printf 'Request URL:\nhttps://x/v1\nStatus Code:\n429 Too Many Requests\nRetry-After:\n30\n' >browser
    says RateLimited browser
    [[ $output == *'"retry_after_ms":30000'* ]]
}

@test "a bare JSON body" {
    says RateLimited - <<<"$body"
    says AuthFailed - <<<'{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'
}

@test "events of a stream" {
    printf 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n' >sse
    says Overloaded sse
    printf '{"model":"m","response":"a"}\n{"error":"model \\"x\\" not found, try pulling it first"}\n' >ndjson
    says ModelNotFound ndjson
    printf ':message-type: exception\n:exception-type: throttlingException\n\n{"message":"Too many requests"}\n' >aws
    says RateLimited aws
    printf 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n' | cat - sse >in-http
    says Overloaded in-http
}

@test "stack traces and log lines" {
    printf 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nopenai.RateLimitError: Error code: 429 - %s\n' "{'error': {'message': 'Rate limit reached for requests', 'type': 'requests', 'code': 'rate_limit_exceeded'}}" >python
    says RateLimited python
    printf 'RateLimitError: 429 %s\n    at APIError.generate (/app/node_modules/x/error.js:1:2)\n' "$body" >node
    says RateLimited node
    says RateLimited - <<<"2026-11-16T01:02:03Z ERROR call failed status=429 body='Too Many Requests'"
}

@test "a page" {
    says Provider5xx - <<<'<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'
}

@test "a case of --jsonl" {
    says RateLimited - <<<'{"id":"x","status":429,"headers":{"retry-after":"9"},"body":null}'
    [[ $output == *'"retry_after_ms":9000'* ]]
}

@test "several cases: the message mentions --jsonl" {
    printf '{"id":"a","status":429}\n{"id":"b","status":500}\n' >cases
    run -0 --separate-stderr explain cases
    [[ $stderr == *"the input looks like one case per line: --jsonl explains each line"* ]]
}

@test "a report is shown unchanged" {
    explain --format report curl-i >report.json
    run -0 --separate-stderr explain --format report report.json
    [ "$output" = "$(cat report.json)" ]
    [[ $stderr == *"the input is a report"* ]]
    run -0 --separate-stderr explain report.json
    [[ $output == *RateLimited* ]]
    "$RECOURSE" render --format anthropic report.json >answer.json
    run -0 --separate-stderr explain --format json answer.json
    [[ $output == *'"error_code":"RateLimited"'* && $stderr == *"the input is a report"* ]]
    "$RECOURSE" render --format http --dialect gemini report.json >answer.http
    run -0 --separate-stderr explain --format json answer.http
    [[ $output == *'"error_code":"RateLimited"'* && $stderr == *"the input is a report"* ]]
}

@test "terminal colours and UTF-16 are removed" {
    printf '\033[31mError code: 429\033[0m - {"error":{"type":"\033[1mrate_limit_error\033[0m"}}\n' >colour
    says RateLimited colour
    printf '\377\376' >utf16
    printf '%s' "$body" | sed 's/./&\x0/g' >>utf16
    says RateLimited utf16
    printf '\357\273\277%s' "$body" >bom
    says RateLimited bom
}

# ---- options ----

@test "options alone describe a failure" {
    says RateLimited --status 429 </dev/null
    says NetworkTimeout --transport timeout </dev/null
    says RateLimited --header ':status: 429' --status 429 --header 'Retry-After: 20' </dev/null
    [[ $output == *'"retry_after_ms":20000'* ]]
}

@test "with enough options a terminal is not read" {
    run -0 on_terminal 80 '"$RECOURSE" explain --status 429'
    [[ $output == *RateLimited* && $output != *paste* ]]
}

@test "a terminal gets a prompt for a paste" {
    run -0 script -qec '"$RECOURSE" explain' /dev/null < <(printf '%s\n\004' "$body")
    [[ $output == *"paste the error here, then press Enter and Ctrl-D"* ]]
}

@test "options override recognised facts" {
    says AuthFailed --status 401 - <<<'HTTP/1.1 500 x'
    says RateLimited --header 'RETRY-AFTER: 5' curl-i
    [[ $output == *'"retry_after_ms":5000'* ]]
    says RateLimited --provider groq --model llama-3 curl-i
    [[ $output == *'"provider":"groq"'* && $output == *'"model":"llama-3"'* ]]
}

@test "family, phase and replayable decide whether it can be retried" {
    says NetworkTimeout --transport timeout --phase sent </dev/null
    says OutcomeUnknown --transport timeout --phase sent --family image </dev/null
    says NetworkTimeout --transport timeout --phase sent --family image --replayable yes </dev/null
    says OutcomeUnknown --transport timeout --phase sent --replayable no </dev/null
}

@test "a process: its exit status and its standard error" {
    run -0 --separate-stderr explain --exit 75 --family tool --format report - <<<'try again later'
    [[ $output == *'"error_class":"Tool'* ]]
    run -0 --separate-stderr explain --exit 137 --family tool --format report </dev/null
    [[ $output == *'"error_code":'* ]]
}

@test "usage above the context window is an overflow" {
    explain --window 100 --format report - <<<'{"choices":[],"usage":{"prompt_tokens":900}}' | grep -q '"error_code"'
}

@test "user-defined rules" {
    says Overloaded --rules my.rules --status 503 - <<<'{"error":{"message":"the pool is empty"}}'
    [[ $output == *'"rule":"relay.pool_empty"'* ]]
    echo 'role a.b' >bad.rules
    refused 65 "bad.rules:1:1: " --rules bad.rules --status 503 </dev/null
    refused 66 "cannot read none.rules: No such file" --rules none.rules --status 503 </dev/null
}

@test "--check-rules reports valid rules, or the position of a fault" {
    run -0 --separate-stderr explain --check-rules my.rules
    [ "$output" = "my.rules: 1 rule, all of them can match" ]
    printf 'rule a.b\n  when says:qouta\n  then RateLimited\n' >bad.rules
    refused 65 "bad.rules:2:8: " --check-rules bad.rules
    [[ $stderr == *says:quota* && $stderr != *"line 2"* ]]
    refused 66 "cannot read none.rules" --check-rules none.rules
    refused 64 "--check-rules takes no other file" --check-rules my.rules curl-i
    refused 64 "--check-rules takes no --why" --check-rules my.rules --why
}

@test "--why: layers, facts, waits, rules" {
    run -0 --separate-stderr explain --why curl-i
    [[ $output == *"Read as an HTTP response, status 429, 2 headers"* ]]
    [[ $output == *"Slow down."* && $output == *"retry-after"*"20"* ]]
    [[ $output == *"before it did not match"*"matched: "* ]]
}

@test "--why in JSON is an array, only with --why" {
    run -0 --separate-stderr explain --why --format json curl-i
    [[ $output == '{"error":true,'*'"why":[{"step":'*'{"step":"rule_matched",'*'}]}' ]]
    [ "$(wc -l <<<"$output")" -eq 1 ]
    explain --why --format json --indent 2 curl-i | grep -q '^  "why": \[$'
    refused 64 "--format markdown takes no --why" --why --format markdown curl-i
}

@test "every format of render" {
    for format in human json markdown http report problem openai-chat openai-responses anthropic \
        gemini log otel; do
        run -0 --separate-stderr explain --format "$format" curl-i
        echo "$format: $output"
        [[ $output == *RateLimited* && -z $stderr ]]
    done
    explain --format http --dialect anthropic curl-i | grep -q '"type":"error"'
    run ! grep -q '"rule"' <(explain --format json --view user curl-i)
}

@test "an option that would be ignored is refused" {
    refused 64 "--format log takes no --view" --format log --view user curl-i
    refused 64 "--format human takes no --dialect" --dialect gemini curl-i
    refused 64 "--format report takes no --indent" --format report --indent 2 curl-i
    refused 64 "--jsonl takes no --format" --jsonl --format json curl-i
    refused 64 "--jsonl takes no --why" --jsonl --why curl-i
}

@test "invalid values: the message lists the valid ones" {
    refused 64 'did you mean timeout?' --transport timout
    refused 64 "The values are llm, image, audio, embedding, extract, search, tool." --family llms
    refused 64 "--status must be a whole number from 100 to 999" --status 42
    refused 64 "--header must be 'Name: value', not \"nonsense\"" --header nonsense
    refused 64 "did you mean --header?" --heeder x
    many=()
    for i in $(seq 129); do many+=(--header "x-$i: y"); done
    refused 64 "--header is given too many times" "${many[@]}"
}

@test "the help fits, and the manual has every option" {
    manual=${RECOURSE_SOURCE:-$BATS_TEST_DIRNAME/../..}/man/recourse-explain.1
    for width in 40 60 80 120; do
        COLUMNS=$width explain --help | sed '/^Usage/d;/^  recourse /d;/^  curl /d' |
            awk -v width=$width 'length > width { print; bad = 1 } END { exit bad }'
    done
    explain --help | grep -oE -- '--[a-z]+' | sort -u | grep -vx -- --help >options
    [ "$(wc -l <options)" -eq 20 ]
    while read -r option; do
        echo "$option"
        grep -qF -- "\\-\\-${option#--}" "$manual"
    done <options
}

# ---- the panel ----

@test "the panel: verdict, wait, advice, evidence, in lines that fit" {
    for width in 40 60 80 120; do
        LANG=C explain --width $width --why curl-i |
            awk -v width=$width 'length != width { print; bad = 1 } END { exit bad }'
    done
    run -0 --separate-stderr explain curl-i
    [[ $output == *"RateLimited"*"HTTP 429"*"Retry"*"after 20s (at "*"Next"*"Evidence"*"Slow down."*"Rule"* ]]
    [[ $output != *$'\033'* ]]
    run -0 explain --color always curl-i
    [[ $output == *$'\033'* ]]
    run ! env LC_ALL=C grep -q '[^ -~]' <(LANG=C explain --why curl-i)
}

@test "--view shows the panel of render" {
    explain --view user curl-i | head -n 1 | grep -q 'ProviderTransient/RateLimited'
    run ! grep -q 'Evidence' <(explain --view user curl-i)
}

# ---- --jsonl ----

@test "jsonl: one report per line, in order, with its id" {
    printf '{"id":"a","status":429}\n\n{"id":"b","body":%s}\n{"id":7,"transport":"dns"}' "$body" >cases
    explain --jsonl cases >reports
    [ "$(wc -l <reports)" -eq 3 ]
    sed -n 1p reports | grep -q '^{"id":"a","report_id":"rep_.*"error_code":"RateLimited"'
    sed -n 2p reports | grep -q '^{"id":"b",.*"error_code":"RateLimited"'
    sed -n 3p reports | grep -q '^{"id":7,.*"error_code":"ConnectionFailed"'
    [ "$(grep -o '"report_id":"[^"]*"' reports | sort -u | wc -l)" -eq 3 ]
    explain --jsonl <cases | grep -c error_code | grep -qx 3
}

@test "jsonl: an invalid case is ShapeInvalid with its line, and later lines are processed" {
    printf 'nonsense\n[1]\n{"status":429}\n{"id":"x","status":"y"}\n{"id":"ok","status":429}\n' >cases
    explain --jsonl cases >reports
    [ "$(grep -c '"error_code":"ShapeInvalid"' reports)" -eq 4 ]
    sed -n 1p reports | grep -q '"context":{"line":1,'
    sed -n 4p reports | grep -q '^{"id":"x",.*"line":4'
    sed -n 5p reports | grep -q '^{"id":"ok",.*RateLimited'
}

@test "jsonl: options apply to every case" {
    printf '{"id":"a","status":500}\n{"id":"b"}\n' >cases
    explain --jsonl --status 429 --header 'retry-after: 3' --provider groq cases >reports
    [ "$(grep -c '"provider":"groq".*"retry_after_ms":3000' reports)" -eq 2 ]
    printf '{"id":"a","status":503,"body":"the pool is empty"}\n' >cases
    explain --jsonl --rules my.rules cases | grep -q '"rule":"relay.pool_empty"'
}

@test "jsonl: a report is written before the end of the input" {
    mkfifo in out
    explain --jsonl <in >out 3>&- &
    pid=$!
    exec 8>in 9<out
    echo '{"id":"first","status":429}' >&8
    read -r -t 20 line <&9
    [[ $line == '{"id":"first",'* ]]
    echo '{"id":"second","status":401}' >&8
    read -r -t 20 line <&9
    [[ $line == '{"id":"second",'* ]]
    exec 8>&- 9<&-
    wait $pid
}

@test "jsonl: a line of more than 16 MiB is refused, and later lines are processed" {
    {
        printf '{"id":"big","body":"'
        head -c $((16 * 1024 * 1024)) /dev/zero | tr '\0' x
        printf '"}\n{"id":"next","status":429}\n'
    } >cases
    explain --jsonl cases >reports
    sed -n 1p reports | grep -q '^{"id":"big",.*ShapeInvalid.*16 MiB'
    sed -n 2p reports | grep -q '^{"id":"next",.*RateLimited'
}

@test "jsonl: lost output is reported, a closed pipe ends it" {
    yes '{"id":"a","status":429}' | head -n 20000 >cases
    run -74 --separate-stderr bash -c '"$RECOURSE" explain --jsonl cases >/dev/full'
    [ "$stderr" = "recourse: cannot write the output: No space left on device" ]
    run -0 bash -c '"$RECOURSE" explain --jsonl cases 2>err | head -n 1; echo "${PIPESTATUS[0]}"'
    [ "${lines[1]}" -eq 74 ]
    [ ! -s err ]
}

@test "jsonl: no input, no file, a folder" {
    run -0 --separate-stderr explain --jsonl </dev/null
    [ -z "$output$stderr" ]
    refused 66 "cannot read nothing: No such file or directory" --jsonl nothing
    mkdir folder
    refused 66 "cannot read folder: Is a directory" --jsonl folder
}

# ---- invalid input ----

@test "nothing to explain" {
    refused 64 "there is nothing to explain" </dev/null
    printf ' \n\n' >blank
    refused 64 "there is nothing to explain" blank
    refused 64 "there is nothing to explain" --provider groq </dev/null
}

@test "a missing file, or a folder" {
    refused 66 "recourse explain: cannot read nothing: No such file or directory" nothing
    mkdir folder
    refused 66 "recourse explain: cannot read folder: Is a directory" folder
    run -66 --separate-stderr bash -c '"$RECOURSE" explain <&-'
    [ "$stderr" = "recourse explain: cannot read <stdin>: Bad file descriptor" ]
}

@test "binary input is classified and does not reach the terminal" {
    head -c 4096 /dev/zero >zero.bin
    says Unclassified zero.bin
    printf '\177ELF\002\001\033]0;x\a\033[2J\377\376\000' >elf.bin
    run -0 --separate-stderr explain --why elf.bin
    [[ $output$stderr != *$'\033'* && $output$stderr != *$'\a'* ]]
}

@test "ten megabytes, and more than the limit" {
    head -c 10000000 /dev/zero | tr '\0' 'x' | fold -w 100 >big.log
    echo 'openai.RateLimitError: Error code: 429 - Too Many Requests' >>big.log
    says RateLimited big.log
    [[ $stderr == *"only its end is classified"* ]]
    head -c 17000000 /dev/zero | tr '\0' ' ' >huge.log
    echo x >>huge.log
    run --separate-stderr explain huge.log
    [[ $stderr == *"only the first 16 MiB are read"* ]]
}

@test "a secret in the input is not printed" {
    key=sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdef
    printf 'HTTP/1.1 401 x\nx-api-key: %s\nauthorization: Bearer %s\n\n{"error":{"type":"authentication_error","message":"invalid key %s","code":"%s","param":"%s"}}' \
        $key $key $key $key $key >secret
    for format in human json markdown http report problem anthropic log otel; do
        run -0 --separate-stderr explain --format $format secret
        [[ $output$stderr != *AbCdEfGhIj* ]]
    done
    for format in human json; do
        run -0 --separate-stderr explain --why --format $format secret
        [[ $output$stderr != *AbCdEfGhIj* ]]
    done
    printf '{"id":"a","body":"invalid key %s"}\n{"id":"b","status":"%s"}\n' $key $key >cases
    run -0 --separate-stderr explain --jsonl cases
    [[ $output$stderr != *AbCdEfGhIj* ]]
}

@test "lost output is reported: 74" {
    run -74 --separate-stderr bash -c '"$RECOURSE" explain curl-i >/dev/full'
    [ "$stderr" = "recourse: cannot write the output: No space left on device" ]
}
