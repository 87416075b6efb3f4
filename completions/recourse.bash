# bash completion of recourse. Written by gen_completions; do not edit.

_recourse() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} words='' files='' i
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='explain errors exec config render simulate mock serve audit call doctor help --help --version'
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
    fi
    # Behind exec -- is somebody else's command line.
    if [ "$command" = exec ]; then
        for ((i = 2; i < COMP_CWORD; i++)); do
            [ "${COMP_WORDS[i]}" != -- ] || { compopt -o default && return; }
        done
    fi
    case $command:$prev in
        explain:--provider) return ;;
        explain:--model) return ;;
        explain:--family) words='llm image audio embedding extract search tool' ;;
        explain:--status) return ;;
        explain:--header) return ;;
        explain:--transport) words='timeout connect_refused dns tls reset eof' ;;
        explain:--phase) words='connect sent headers committed' ;;
        explain:--exit) return ;;
        explain:--window) return ;;
        explain:--replayable) words='yes no' ;;
        explain:--rules) files=1 ;;
        explain:--check-rules) files=1 ;;
        explain:--format) words='human json markdown http report problem openai-chat openai-responses anthropic gemini log otel' ;;
        explain:--view) words='user model internal' ;;
        explain:--dialect) words='problem openai-chat openai-responses anthropic gemini' ;;
        explain:--indent) return ;;
        explain:--color) words='auto always never' ;;
        explain:--width) return ;;
        errors:--format) words='human json markdown' ;;
        errors:--color) words='auto always never' ;;
        errors:--width) return ;;
        exec:--policy) return ;;
        exec:--config) files=1 ;;
        exec:--tries) return ;;
        exec:--budget) return ;;
        exec:--events) files=1 ;;
        exec:--color) words='auto always never' ;;
        exec:--width) return ;;
        config:--format) words='human json' ;;
        config:import) words='litellm' ;;
        render:--format) words='human json markdown http report problem openai-chat openai-responses anthropic gemini log otel' ;;
        render:--view) words='user model internal' ;;
        render:--dialect) words='problem openai-chat openai-responses anthropic gemini' ;;
        render:--indent) return ;;
        render:--color) words='auto always never' ;;
        render:--width) return ;;
        simulate:--policy) return ;;
        simulate:--seed) return ;;
        simulate:--requests) return ;;
        simulate:--out) files=1 ;;
        simulate:--format) words='human json csv' ;;
        simulate:--color) words='auto always never' ;;
        simulate:--width) return ;;
        mock:--listen) return ;;
        mock:--scenario) files=1 ;;
        mock:--script) files=1 ;;
        mock:--seed) return ;;
        mock:--port-file) files=1 ;;
        serve:--config) files=1 ;;
        serve:--listen) return ;;
        serve:--admin) return ;;
        serve:--port-file) files=1 ;;
        serve:--log) words='auto json human off' ;;
        audit:--store) files=1 ;;
        audit:--config) files=1 ;;
        audit:--since) return ;;
        audit:--until) return ;;
        audit:--client) return ;;
        audit:--route) return ;;
        audit:--model) return ;;
        audit:--target) return ;;
        audit:--code) words='ShapeInvalid ContractVersionMismatch ConfigSchemaViolation OutputInvalid ContextMutationForbidden RateLimited Overloaded ModelLoading Provider5xx ProviderTimeout NetworkTimeout ConnectionFailed ConnectionReset StreamInterrupted MalformedResponse Conflict MissingStreaming MissingToolCalling MissingVision MissingStructuredOutput ContextWindowTooSmall UnsupportedFeature AuthFailed PermissionDenied ModelNotFound EndpointNotFound InvalidRequest RequestTooLarge ContextOverflow OutputTruncated ContentFilter QuotaExhausted OutcomeUnknown Unclassified ExecutionTimeout ResourceBusy ExecutionFailed InputInvalid OutputMalformed Forbidden NotFound Denied Unavailable ManifestDrift StoreUnavailable ResumeMismatch BudgetExceeded RunTimeout TurnLimit DeadlineExceeded ExpressionInvalid ExpressionRuntime ExpressionMemory ExpressionResult ExpressionTimeout SessionCancelled TurnCancelled ToolCancelled RetryCancelled LifecycleFailure DependencyCycle DependencyMissing ParallelSiblingFailure Internal InvariantBroken' ;;
        audit:--class) words='Validation ProviderTransient ProviderCapability ProviderTerminal ToolTransient ToolTerminal Session Limit Sandbox Cancellation ExtensionHost Internal' ;;
        audit:--outcome) words='open succeeded failed cancelled notice recovered' ;;
        audit:--report) return ;;
        audit:--limit) return ;;
        audit:--after) return ;;
        audit:--by) words='target code class hour client route model' ;;
        audit:--of) words='operations attempts' ;;
        audit:--older-than) return ;;
        audit:--before) return ;;
        audit:--format) words='human json markdown jsonl csv' ;;
        audit:--view) words='user model internal' ;;
        audit:--color) words='auto always never' ;;
        audit:--width) return ;;
        call:--model) return ;;
        call:--system) return ;;
        call:--image) files=1 ;;
        call:--max-tokens) return ;;
        call:--temperature) return ;;
        call:--deadline) return ;;
        call:--policy) return ;;
        call:--dialect) words='openai anthropic gemini' ;;
        call:--config) files=1 ;;
        call:--via) return ;;
        call:--token-file) files=1 ;;
        call:--format) words='human json markdown' ;;
        call:--color) words='auto always never' ;;
        call:--width) return ;;
        doctor:--config) files=1 ;;
        doctor:--timeout) return ;;
        doctor:--format) words='human json markdown' ;;
        doctor:--color) words='auto always never' ;;
        *)
            case $command in
        explain)
            words='--help --provider --model --family --status --header --transport --phase --exit --window --replayable --rules --check-rules --why --jsonl --format --view --dialect --indent --color --width'
            files=1
            ;;
        errors)
            words='--help --format --color --width ShapeInvalid ContractVersionMismatch ConfigSchemaViolation OutputInvalid ContextMutationForbidden RateLimited Overloaded ModelLoading Provider5xx ProviderTimeout NetworkTimeout ConnectionFailed ConnectionReset StreamInterrupted MalformedResponse Conflict MissingStreaming MissingToolCalling MissingVision MissingStructuredOutput ContextWindowTooSmall UnsupportedFeature AuthFailed PermissionDenied ModelNotFound EndpointNotFound InvalidRequest RequestTooLarge ContextOverflow OutputTruncated ContentFilter QuotaExhausted OutcomeUnknown Unclassified ExecutionTimeout ResourceBusy ExecutionFailed InputInvalid OutputMalformed Forbidden NotFound Denied Unavailable ManifestDrift StoreUnavailable ResumeMismatch BudgetExceeded RunTimeout TurnLimit DeadlineExceeded ExpressionInvalid ExpressionRuntime ExpressionMemory ExpressionResult ExpressionTimeout SessionCancelled TurnCancelled ToolCancelled RetryCancelled LifecycleFailure DependencyCycle DependencyMissing ParallelSiblingFailure Internal InvariantBroken Validation ProviderTransient ProviderCapability ProviderTerminal ToolTransient ToolTerminal Session Limit Sandbox Cancellation ExtensionHost Internal'
            ;;
        exec)
            words='--help --policy --config --tries --budget --events --json-events --quiet --color --width'
            ;;
        config)
            words='--help --format check show keys prices import'
            files=1
            ;;
        render)
            words='--help --format --view --dialect --stream --strict --indent --color --width'
            files=1
            ;;
        simulate)
            words='--help --policy --seed --requests --out --format --plot --list --color --width'
            files=1
            ;;
        mock)
            words='--help --listen --scenario --script --seed --port-file --quiet'
            ;;
        serve)
            words='--help --config --listen --admin --port-file --log'
            ;;
        audit)
            words='--help --store --config --since --until --client --route --model --target --code --class --outcome --report --limit --after --by --of --follow --older-than --before --dry-run --vacuum --yes --format --agent --view --color --width -f list show tail stats export check prune'
            ;;
        call)
            words='--help --model --system --image --max-tokens --temperature --no-stream --deadline --policy --dialect --config --via --token-file --insecure --format --agent --quiet --color --width'
            ;;
        doctor)
            words='--help --config --offline --timeout --format --color'
            ;;
        help)
            words='--help explain errors exec config render simulate mock serve audit call doctor help'
            ;;
            *) return ;;
            esac
            ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    [ -z "$files" ] || compopt -o default
}

complete -F _recourse recourse
