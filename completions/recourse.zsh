#compdef recourse
# zsh completion of recourse. Written by gen_completions; do not edit.

_recourse() {
    local state line
    local -a commands
    commands=(
        'explain:explain a failure\: what it means, why, and what to do next'
        'errors:list the error codes, or show one of them'
        'exec:run a command, and retry it after a transient failure'
        'config:check, show or import the configuration'
        'render:render a report for a person, an agent, an HTTP client or an operator'
        'simulate:compare retry policies in a simulated outage, rate limit or storm'
        'mock:run a mock provider that fails as the model'\''s name says'
        'serve:run the gateway'
        'audit:show recorded requests\: failures, attempts, cost'
        'call:send one prompt to a model, with retries and fallback'
        'doctor:check whether a gateway can run on this machine'
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
                '--provider=[the provider that responded (default\: detected from the input)]:NAME:' \
                '--model=[the requested model]:NAME:' \
                '--family=[the kind of call\: llm (default), image, audio, embedding, extract, search or tool]:FAMILY:(llm image audio embedding extract search tool)' \
                '--status=[the HTTP status]:N:' \
                '*--header=[a header of the response, '\''Name\: value'\''; may be repeated]:HEADER:' \
                '--transport=[how the transport failed\: timeout, connect_refused, dns, tls, reset or eof]:HOW:(timeout connect_refused dns tls reset eof)' \
                '--phase=[the phase in which the call failed\: connect, sent, headers or committed]:PHASE:(connect sent headers committed)' \
                '--exit=[the exit status of a process; the input is its standard error]:N:' \
                '--window=[the model'\''s context window in tokens]:N:' \
                '--replayable=[yes or no\: whether the request may be sent again even if the provider may have carried it out (default\: depends on the family)]:Y|N:(yes no)' \
                '--rules=[a file of rules that precede the built-in ones]:FILE:_files' \
                '--check-rules=[check a file of rules and do nothing else]:FILE:_files' \
                '--why[show how the failure was classified\: unwrapped layers, facts and rules]' \
                '--jsonl[read one case per line, write one report per line, in order]' \
                '--format=[output format, as in render (default\: human)]:FORMAT:(human json markdown http report problem openai-chat openai-responses anthropic gemini log otel)' \
                '--view=[the view\: user, model or internal (default\: internal; for formats of clients that of the format)]:VIEW:(user model internal)' \
                '--dialect=[the body of --format http, as in render]:DIALECT:(problem openai-chat openai-responses anthropic gemini)' \
                '--indent=[indentation of --format json in spaces, 0 to 8 (default\: 0, one line)]:N:' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[width in columns, 20 to 200 (default\: COLUMNS, else the terminal'\''s, else 80)]:N:' \
                '*:file:_files'
            ;;
        errors)
            _arguments '(- *)--help[show the help]' \
                '--format=[human (default), json or markdown]:FORMAT:(human json markdown)' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[width in columns, 20 to 200 (default\: COLUMNS, else the terminal'\''s, else 80)]:N:' \
                '1:code:(ShapeInvalid ContractVersionMismatch ConfigSchemaViolation OutputInvalid ContextMutationForbidden RateLimited Overloaded ModelLoading Provider5xx ProviderTimeout NetworkTimeout ConnectionFailed ConnectionReset StreamInterrupted MalformedResponse Conflict MissingStreaming MissingToolCalling MissingVision MissingStructuredOutput ContextWindowTooSmall UnsupportedFeature AuthFailed PermissionDenied ModelNotFound EndpointNotFound InvalidRequest RequestTooLarge ContextOverflow OutputTruncated ContentFilter QuotaExhausted OutcomeUnknown Unclassified ExecutionTimeout ResourceBusy ExecutionFailed InputInvalid OutputMalformed Forbidden NotFound Denied Unavailable ManifestDrift StoreUnavailable ResumeMismatch BudgetExceeded RunTimeout TurnLimit DeadlineExceeded ExpressionInvalid ExpressionRuntime ExpressionMemory ExpressionResult ExpressionTimeout SessionCancelled TurnCancelled ToolCancelled RetryCancelled LifecycleFailure DependencyCycle DependencyMissing ParallelSiblingFailure Internal InvariantBroken Validation ProviderTransient ProviderCapability ProviderTerminal ToolTransient ToolTerminal Session Limit Sandbox Cancellation ExtensionHost Internal)'
            ;;
        exec)
            _arguments '(- *)--help[show the help]' \
                '--policy=[transport (default), session, council, none, or a policy of the configuration]:NAME:' \
                '--config=[the configuration that contains the policy (default\: recourse.yaml in the current folder, else in the XDG config directory)]:FILE:_files' \
                '--tries=[number of attempts, including the first (default\: the policy'\''s)]:N:' \
                '--budget=[time limit, such as 30s or 5m\: no attempt starts later, and a running attempt is stopped]:TIME:' \
                '--events=[append the events to this file, as JSON lines]:FILE:_files' \
                '--json-events[write the events to standard error instead of messages]' \
                '--quiet[print no messages about retries and failures]' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[width in columns, 20 to 200 (default\: COLUMNS, else the terminal'\''s, else 80)]:N:' \
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
                '--format=[output format, see below (default\: human)]:FORMAT:(human json markdown http report problem openai-chat openai-responses anthropic gemini log otel)' \
                '--view=[the view\: user (message, action, ids), model (class, code, safe context) or internal (everything)]:VIEW:(user model internal)' \
                '--dialect=[the body of --format http\: problem (default), openai-chat, openai-responses, anthropic or gemini]:DIALECT:(problem openai-chat openai-responses anthropic gemini)' \
                '--stream[print an error in a client'\''s dialect as the last event of a stream instead of as a body]' \
                '--strict[refuse an input with unknown keys, unknown values or damaged JSON]' \
                '--indent=[indentation of --format json in spaces, 0 to 8 (default\: 0, one line)]:N:' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[width in columns, 20 to 200 (default\: COLUMNS, else the terminal'\''s, else 80)]:N:' \
                '*:file:_files'
            ;;
        simulate)
            _arguments '(- *)--help[show the help]' \
                '*--policy=[run this policy instead of the scenario'\''s\: one that the scenario defines, or a built-in one; may be repeated]:NAME:' \
                '--seed=[seed of the random numbers (default\: the scenario'\''s); the same seed gives the same bytes]:N:' \
                '--requests=[scale the scenario so that about N requests arrive]:N:' \
                '--out=[write charts (success, load, latency, amplification; SVG) and result.json into this folder, which is created if it does not exist]:DIR:_files' \
                '--format=[human (default), json or csv]:FORMAT:(human json csv)' \
                '--plot[draw success and load over time in the terminal]' \
                '--list[show the built-in scenarios and policies]' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[width in columns, 20 to 200 (default\: COLUMNS, else the terminal'\''s, else 80)]:N:' \
                '*:file:_files'
            ;;
        mock)
            _arguments '(- *)--help[show the help]' \
                '--listen=[address to listen on (default\: 127.0.0.1\:8788); port 0 lets the system choose]:HOST:PORT:' \
                '--scenario=[a file with rules, keys and limits in YAML, which precede the model'\''s name]:FILE:_files' \
                '--script=[a scenario of recourse simulate, a file or a name, played in real time\: each of its providers has a port of its own, after that of --listen]:FILE:_files' \
                '--seed=[seed of the random numbers (default\: the scenario'\''s); the same seed gives the same responses]:N:' \
                '--port-file=[write the port into this file once the server listens]:FILE:_files' \
                '--quiet[print no line per request]' \
                '*: :'
            ;;
        serve)
            _arguments '(- *)--help[show the help]' \
                '--config=[the configuration (default\: recourse.yaml in the current folder or in the user'\''s configuration folder, else the environment)]:FILE:_files' \
                '--listen=[address to listen on (default\: the configuration'\''s); port 0 lets the system choose]:HOST:PORT:' \
                '--admin=[address of the admin interface with the dashboard, or off (default\: the configuration'\''s, else 127.0.0.1\:8789)]:HOST:PORT:' \
                '--port-file=[write the port into this file once the server listens]:FILE:_files' \
                '--log=[log format\: auto (human on a terminal, else json), json, human or off (default\: the configuration'\''s)]:FORMAT:(auto json human off)' \
                '*: :'
            ;;
        audit)
            _arguments '(- *)--help[show the help]' \
                '--store=[the audit to read\: a file, or a URL as in the configuration]:STORE:_files' \
                '--config=[the configuration whose store is read]:FILE:_files' \
                '--since=[operations that began at this time or later\: 2h (ago), 02\:30, yesterday, 2026-11-16, RFC 3339]:TIME:' \
                '--until=[operations that began before this time]:TIME:' \
                '--client=[operations of this client]:NAME:' \
                '--route=[operations of this route]:NAME:' \
                '--model=[operations that requested this model]:NAME:' \
                '--target=[operations with an attempt at this target, such as openai/gpt-4o]:NAME:' \
                '--code=[operations that ended with this error code]:CODE:(ShapeInvalid ContractVersionMismatch ConfigSchemaViolation OutputInvalid ContextMutationForbidden RateLimited Overloaded ModelLoading Provider5xx ProviderTimeout NetworkTimeout ConnectionFailed ConnectionReset StreamInterrupted MalformedResponse Conflict MissingStreaming MissingToolCalling MissingVision MissingStructuredOutput ContextWindowTooSmall UnsupportedFeature AuthFailed PermissionDenied ModelNotFound EndpointNotFound InvalidRequest RequestTooLarge ContextOverflow OutputTruncated ContentFilter QuotaExhausted OutcomeUnknown Unclassified ExecutionTimeout ResourceBusy ExecutionFailed InputInvalid OutputMalformed Forbidden NotFound Denied Unavailable ManifestDrift StoreUnavailable ResumeMismatch BudgetExceeded RunTimeout TurnLimit DeadlineExceeded ExpressionInvalid ExpressionRuntime ExpressionMemory ExpressionResult ExpressionTimeout SessionCancelled TurnCancelled ToolCancelled RetryCancelled LifecycleFailure DependencyCycle DependencyMissing ParallelSiblingFailure Internal InvariantBroken)' \
                '--class=[operations that ended with an error of this class]:CLASS:(Validation ProviderTransient ProviderCapability ProviderTerminal ToolTransient ToolTerminal Session Limit Sandbox Cancellation ExtensionHost Internal)' \
                '--outcome=[operations with this outcome\: succeeded, recovered (after a failed attempt), failed, cancelled, open, notice]:OUTCOME:(open succeeded failed cancelled notice recovered)' \
                '--report=[the operation that has this report]:ID:' \
                '--limit=[number of operations (default\: list 20, tail 10, export all); of stats\: rows of each table (15)]:N:' \
                '--after=[the next page\: operations after this key]:KEY:' \
                '--by=[of stats\: tables by target, class, code, hour, client, route, model (default\: target,code)]:LIST:_values -s , what target code class hour client route model' \
                '--of=[of export\: operations (default) or attempts]:WHAT:(operations attempts)' \
                '--follow[of tail, also -f\: print further operations as they end]' \
                '--older-than=[of prune\: operations that ended at least this long ago\: 90d]:DURATION:' \
                '--before=[of prune\: operations that ended before this time]:TIME:' \
                '--dry-run[of prune\: count the operations and delete nothing]' \
                '--vacuum[for prune\: also shrink the file (stop the gateway first)]' \
                '--yes[of prune\: accept a time in the future]' \
                '--format=[human, json or markdown; tail\: human, jsonl; export\: jsonl, csv; check and prune\: human, json]:FORMAT:(human json markdown jsonl csv)' \
                '--agent[output for an agent\: markdown if available, else json]' \
                '--view=[view of reports\: user, model or internal (everything)]:VIEW:(user model internal)' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[width in columns, 20 to 200 (default\: COLUMNS, else the terminal'\''s, else 80)]:N:' \
                '1:verb:(list show tail stats export check prune)' \
                '*:file:_files'
            ;;
        call)
            _arguments '(- *)--help[show the help]' \
                '--model=[a route'\''s model, or PROVIDER/MODEL (default\: the model of the routes, if they name exactly one)]:NAME:' \
                '--system=[the system prompt]:TEXT:' \
                '*--image=[a PNG, JPEG, GIF or WebP to send with the prompt; may be repeated up to 8 times]:FILE:_files' \
                '--max-tokens=[limit of output tokens (default\: the model'\''s; for Anthropic 4096)]:N:' \
                '--temperature=[sampling temperature, 0 to 2 (default\: the model'\''s)]:T:' \
                '--no-stream[request a response that is not streamed]' \
                '--deadline=[time limit including retries, such as 60s or 5m (default\: the route'\''s)]:TIME:' \
                '--policy=[the retry policy (default\: the route'\''s)]:NAME:' \
                '--dialect=[the API of the request\: openai, anthropic or gemini (default\: the API of the route'\''s providers; openai if they differ or with --via)]:NAME:(openai anthropic gemini)' \
                '--config=[the configuration (default\: recourse.yaml in the current folder or in the user'\''s configuration folder, else the environment)]:FILE:_files' \
                '--via=[send the call through the gateway at this address]:URL:' \
                '--token-file=[the file with the token for that gateway (default\: the variable RECOURSE_TOKEN)]:FILE:_files' \
                '--insecure[allow plain http\:// to another machine with --via]' \
                '--format=[human (default\: the response as it arrives), json or markdown (one result at the end, also for a failure)]:FORMAT:(human json markdown)' \
                '--agent[output for a program\: json, and nothing on standard error; a failure is {"error"\:true,...}]' \
                '--quiet[print no messages about retries and no totals]' \
                '--color=[auto (default\: on a terminal, unless NO_COLOR is set), always or never]:WHEN:(auto always never)' \
                '--width=[width in columns, 20 to 200 (default\: COLUMNS, else the terminal'\''s, else 80)]:N:' \
                '*: :'
            ;;
        doctor)
            _arguments '(- *)--help[show the help]' \
                '--config=[the configuration (default\: recourse.yaml in the current folder or in the user'\''s configuration folder, else the environment)]:FILE:_files' \
                '--offline[send no request to a provider]' \
                '--timeout=[time limit of all network checks together (default\: 10)]:SECONDS:' \
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
