#compdef recourse
# zsh completion of recourse. Written by gen_completions; do not edit.

_recourse() {
    local state line
    local -a commands
    commands=(
        'explain:say what a failure means, why, and what to do'
        'errors:show what can go wrong\: every error code, or one of them'
        'exec:run a command, and try again when its failure is worth it'
        'config:check the configuration, show all of it, or import one'
        'render:show a report for any reader\: person, agent, HTTP client, operator'
        'simulate:compare retry policies in a simulated outage, rate limit or storm'
        'mock:serve a provider that fails as its models are called'
        'serve:run the gateway'
        'audit:what the gateway did\: what failed, what was tried, what it cost'
        'call:ask a model once, with retries and fallback'
        'doctor:check whether the gateway can work here'
        'help:show the help of a command'
    )
    _arguments -C '(- *)--help[show the help]' '(- *)--version[show the version]' \
        '1:command:->command' '*::argument:->argument'
    case $state in
    command) _describe -t commands command commands ;;
    argument)
        case $line[1] in
        explain)
            _arguments '(- *)--help[show the help]' \
                '--provider=[who answered (default\: recognised)]:NAME:' \
                '--model=[the model that was asked]:NAME:' \
                '--family=[what kind of call it was\: llm (default), image, audio, embedding, extract, search or tool]:FAMILY:(llm image audio embedding extract search tool)' \
                '--status=[the HTTP status]:N:' \
                '*--header=[a header of the response, '\''Name\: value'\''; may be repeated]:HEADER:' \
                '--transport=[how the transport failed\: timeout, connect_refused, dns, tls, reset or eof]:HOW:(timeout connect_refused dns tls reset eof)' \
                '--phase=[how far the call had come\: connect, sent, headers or committed]:PHASE:(connect sent headers committed)' \
                '--exit=[the exit status of a process; the input is what it said on standard error]:N:' \
                '--window=[the model'\''s context window in tokens]:N:' \
                '--replayable=[yes or no\: may the request be sent again although it may have been carried out? (default\: by family)]:Y|N:(yes no)' \
                '--rules=[rules of your own, tried before the built-in ones]:FILE:_files' \
                '--check-rules=[check a file of rules, and do nothing else]:FILE:_files' \
                '--why[show how it was decided\: what was unwrapped, what it means, which rules were tried]' \
                '--jsonl[read one case a line, write one report a line, in order]' \
                '--format=[how to show it, as in render (default\: human)]:FORMAT:(human json markdown http report problem openai-chat openai-responses anthropic gemini log otel)' \
                '--view=[who reads it\: user, model or internal (default\: internal, and the format'\''s own for a client'\''s)]:VIEW:(user model internal)' \
                '--dialect=[the body of --format http, as in render]:DIALECT:(problem openai-chat openai-responses anthropic gemini)' \
                '--indent=[spaces a level in --format json, 0 to 8 (default\: 0, one line)]:N:' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[columns, 20 to 200 (default\: COLUMNS, the terminal'\''s, else 80)]:N:' \
                '*:file:_files'
            ;;
        errors)
            _arguments '(- *)--help[show the help]' \
                '--format=[human (default), json or markdown]:FORMAT:(human json markdown)' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[columns, 20 to 200 (default\: COLUMNS, the terminal'\''s, else 80)]:N:' \
                '1:code:(ShapeInvalid ContractVersionMismatch ConfigSchemaViolation OutputInvalid ContextMutationForbidden RateLimited Overloaded ModelLoading Provider5xx ProviderTimeout NetworkTimeout ConnectionFailed ConnectionReset StreamInterrupted MalformedResponse Conflict MissingStreaming MissingToolCalling MissingVision MissingStructuredOutput ContextWindowTooSmall UnsupportedFeature AuthFailed PermissionDenied ModelNotFound EndpointNotFound InvalidRequest RequestTooLarge ContextOverflow OutputTruncated ContentFilter QuotaExhausted OutcomeUnknown Unclassified ExecutionTimeout ResourceBusy ExecutionFailed InputInvalid OutputMalformed Forbidden NotFound Denied Unavailable ManifestDrift StoreUnavailable ResumeMismatch BudgetExceeded RunTimeout TurnLimit DeadlineExceeded ExpressionInvalid ExpressionRuntime ExpressionMemory ExpressionResult ExpressionTimeout SessionCancelled TurnCancelled ToolCancelled RetryCancelled LifecycleFailure DependencyCycle DependencyMissing ParallelSiblingFailure Internal InvariantBroken Validation ProviderTransient ProviderCapability ProviderTerminal ToolTransient ToolTerminal Session Limit Sandbox Cancellation ExtensionHost Internal)'
            ;;
        exec)
            _arguments '(- *)--help[show the help]' \
                '--policy=[transport (default), session, council, none, or one of the configuration'\''s policies]:NAME:' \
                '--config=[the configuration that the policy is in (default\: recourse.yaml here, else in the XDG config directory)]:FILE:_files' \
                '--tries=[tries in all, the first included (default\: the policy'\''s)]:N:' \
                '--budget=[how long it may take in all, as 30s or 5m\: no try starts later, and one that still runs is ended]:TIME:' \
                '--events=[append the events to a file, as JSON lines]:FILE:_files' \
                '--json-events[write the events to standard error, in place of words for a person]' \
                '--quiet[say nothing about retries and failures]' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[columns, 20 to 200 (default\: COLUMNS, the terminal'\''s, else 80)]:N:' \
                '*:::command:_normal'
            ;;
        config)
            _arguments '(- *)--help[show the help]' \
                '--format=[of check and prices\: human (default) or json]:FORMAT:(human json)' \
                '1:verb:(check show keys prices import)' \
                '2:what:{ if [[ $words[2] = import ]]; then compadd litellm; else _files; fi }' \
                '*:file:_files'
            ;;
        render)
            _arguments '(- *)--help[show the help]' \
                '--format=[how to show it, see below (default\: human)]:FORMAT:(human json markdown http report problem openai-chat openai-responses anthropic gemini log otel)' \
                '--view=[who reads it\: user (message, action, ids), model (class, code, safe context) or internal (everything)]:VIEW:(user model internal)' \
                '--dialect=[the body of --format http\: problem (default), openai-chat, openai-responses, anthropic or gemini]:DIALECT:(problem openai-chat openai-responses anthropic gemini)' \
                '--stream[a client'\''s dialect as the last event of a stream, not as a body]' \
                '--strict[refuse what is not exactly a report\: unknown keys and values, damage]' \
                '--indent=[spaces a level in --format json, 0 to 8 (default\: 0, one line)]:N:' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[columns, 20 to 200 (default\: COLUMNS, the terminal'\''s, else 80)]:N:' \
                '*:file:_files'
            ;;
        simulate)
            _arguments '(- *)--help[show the help]' \
                '*--policy=[run this policy in the place of the scenario'\''s\: one of its own, or a built-in one; may be repeated]:NAME:' \
                '--seed=[where chance begins (default\: the scenario'\''s); the same seed gives the same bytes]:N:' \
                '--requests=[scale the scenario so that about N requests come in]:N:' \
                '--out=[write charts (success, load, latency, amplification; SVG) and result.json into this folder, which is made if it is not there, with those above it]:DIR:_files' \
                '--format=[human (default), json or csv]:FORMAT:(human json csv)' \
                '--plot[show success and load over time as characters]' \
                '--list[show the built-in scenarios and policies]' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[columns, 20 to 200 (default\: COLUMNS, the terminal'\''s, else 80)]:N:' \
                '*:file:_files'
            ;;
        mock)
            _arguments '(- *)--help[show the help]' \
                '--listen=[where to listen (default\: 127.0.0.1\:8788); port 0 lets the system choose]:HOST:PORT:' \
                '--scenario=[rules, keys and limits in YAML, asked before the model'\''s name]:FILE:_files' \
                '--seed=[where chance begins (default\: the scenario'\''s); the same seed gives the same answers]:N:' \
                '--port-file=[write the port into this file once it is open]:FILE:_files' \
                '--quiet[no line for every request]' \
                '*: :'
            ;;
        serve)
            _arguments '(- *)--help[show the help]' \
                '--config=[the configuration (default\: recourse.yaml here or in the user'\''s folder, else what the environment says)]:FILE:_files' \
                '--listen=[where to listen (default\: the configuration'\''s); port 0 lets the system choose]:HOST:PORT:' \
                '--admin=[where the dashboard and the rest of the admin interface listen, or off (default\: the configuration'\''s, else 127.0.0.1\:8789)]:HOST:PORT:' \
                '--port-file=[write the port into this file once it is open]:FILE:_files' \
                '--log=[auto (for people on a terminal, else JSON), json, human or off (default\: the configuration'\''s)]:FORMAT:(auto json human off)' \
                '*: :'
            ;;
        audit)
            _arguments '(- *)--help[show the help]' \
                '--store=[the audit\: a file, or a URL as in the configuration]:STORE:_files' \
                '--config=[the configuration that names it]:FILE:_files' \
                '--since=[from then on\: 2h (ago), 02\:30, yesterday, 2026-11-16, RFC 3339]:TIME:' \
                '--until=[before then]:TIME:' \
                '--client=[of this client]:NAME:' \
                '--route=[that took this route]:NAME:' \
                '--model=[that asked for this model]:NAME:' \
                '--target=[that tried this target, as openai/gpt-4o]:NAME:' \
                '--code=[that ended with this error code]:CODE:(ShapeInvalid ContractVersionMismatch ConfigSchemaViolation OutputInvalid ContextMutationForbidden RateLimited Overloaded ModelLoading Provider5xx ProviderTimeout NetworkTimeout ConnectionFailed ConnectionReset StreamInterrupted MalformedResponse Conflict MissingStreaming MissingToolCalling MissingVision MissingStructuredOutput ContextWindowTooSmall UnsupportedFeature AuthFailed PermissionDenied ModelNotFound EndpointNotFound InvalidRequest RequestTooLarge ContextOverflow OutputTruncated ContentFilter QuotaExhausted OutcomeUnknown Unclassified ExecutionTimeout ResourceBusy ExecutionFailed InputInvalid OutputMalformed Forbidden NotFound Denied Unavailable ManifestDrift StoreUnavailable ResumeMismatch BudgetExceeded RunTimeout TurnLimit DeadlineExceeded ExpressionInvalid ExpressionRuntime ExpressionMemory ExpressionResult ExpressionTimeout SessionCancelled TurnCancelled ToolCancelled RetryCancelled LifecycleFailure DependencyCycle DependencyMissing ParallelSiblingFailure Internal InvariantBroken)' \
                '--class=[that ended with an error of this class]:CLASS:(Validation ProviderTransient ProviderCapability ProviderTerminal ToolTransient ToolTerminal Session Limit Sandbox Cancellation ExtensionHost Internal)' \
                '--outcome=[that ended like this\: succeeded, recovered (after a failed attempt), failed, cancelled, open; or notice]:OUTCOME:(open succeeded failed cancelled notice recovered)' \
                '--report=[that have this report]:ID:' \
                '--limit=[how many (list 20, tail 10, export all; stats\: rows of a table, 15)]:N:' \
                '--after=[the next page\: those behind this one]:KEY:' \
                '--by=[of stats\: target, class, code, hour, client, route, model (default\: target,code)]:LIST:_values -s , what target code class hour client route model' \
                '--of=[of export\: operations (default) or attempts]:WHAT:(operations attempts)' \
                '--follow[of tail, also -f\: go on as operations end]' \
                '--older-than=[of prune\: what ended so long ago, or longer\: 90d]:DURATION:' \
                '--before=[of prune\: what ended before then]:TIME:' \
                '--dry-run[of prune\: only say what would go]' \
                '--vacuum[of prune\: give free room back to the disk; no gateway may run]' \
                '--yes[of prune\: also with a time that is to come]' \
                '--format=[human, json or markdown; tail\: human, jsonl; export\: jsonl, csv; check and prune\: human, json]:FORMAT:(human json markdown jsonl csv)' \
                '--agent[for an agent\: markdown where there is any]' \
                '--view=[of reports\: user, model or internal (everything)]:VIEW:(user model internal)' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[columns, 20 to 200 (default\: COLUMNS, the terminal'\''s, else 80)]:N:' \
                '1:verb:(list show tail stats export check prune)' \
                '*:file:_files'
            ;;
        call)
            _arguments '(- *)--help[show the help]' \
                '--model=[a route'\''s model, or PROVIDER/MODEL (default\: the one that the configuration names, if it names one)]:NAME:' \
                '--system=[what the model is to be told before the prompt]:TEXT:' \
                '*--image=[a PNG, JPEG, GIF or WebP to send with the prompt; up to 8 times]:FILE:_files' \
                '--max-tokens=[the longest answer, in tokens (default\: the model'\''s; of Anthropic'\''s 4096)]:N:' \
                '--temperature=[0 to 2 (default\: the model'\''s)]:T:' \
                '--no-stream[ask for the answer in one piece]' \
                '--deadline=[how long it may take in all, retries included, as 60s or 5m (default\: the route'\''s)]:TIME:' \
                '--policy=[which retry policy (default\: the route'\''s)]:NAME:' \
                '--dialect=[how to ask\: openai, anthropic or gemini (default\: as the providers of the route do; openai where they differ, and with --via)]:NAME:(openai anthropic gemini)' \
                '--config=[the configuration (default\: recourse.yaml here or in the user'\''s folder, else what the environment says)]:FILE:_files' \
                '--via=[the gateway to call through (default\: none is needed)]:URL:' \
                '--token-file=[the token for that gateway (default\: RECOURSE_TOKEN)]:FILE:_files' \
                '--insecure[let --via use plain http\:// to another machine]' \
                '--format=[human (default\: the answer as it comes), json or markdown (all of it at the end, also what failed)]:FORMAT:(human json markdown)' \
                '--agent[for a program\: json, not a word on standard error; a failure is {"error"\:true,...}]' \
                '--quiet[say nothing about retries, nor what it took]' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[columns, 20 to 200 (default\: COLUMNS, the terminal'\''s, else 80)]:N:' \
                '*: :'
            ;;
        doctor)
            _arguments '(- *)--help[show the help]' \
                '--config=[the configuration (default\: recourse.yaml here or in the user'\''s folder, else what the environment says)]:FILE:_files' \
                '--offline[asks no provider]' \
                '--timeout=[for everything that is asked over the network (default\: 10)]:SECONDS:' \
                '--format=[human (default), json or markdown]:FORMAT:(human json markdown)' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '*: :'
            ;;
        help)
            _arguments '(- *)--help[show the help]' \
                '1:command:(explain errors exec config render simulate mock serve audit call doctor help)'
            ;;
        esac
        ;;
    esac
}

_recourse "$@"
