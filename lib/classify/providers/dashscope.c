/* DashScope: docs/providers/dashscope.md. */
#include "base/str.h"
#include "classify/providers/provider.h"
#include "classify/text_find.h"

static const rc_known_code CODES[] = {
    {RC_STR_INIT("Throttling.RateQuota"), RC_CONCEPT_RATE},
    {RC_STR_INIT("Throttling.BurstRate"), RC_CONCEPT_RATE},
    {RC_STR_INIT("Throttling.AllocationQuota"), RC_CONCEPT_RATE},
    {RC_STR_INIT("Throttling"), RC_CONCEPT_RATE},
    {RC_STR_INIT("Arrearage"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("DataInspectionFailed"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("data_inspection_failed"), RC_CONCEPT_FILTER},
    {RC_STR_INIT("InvalidApiKey"), RC_CONCEPT_AUTH},
    {RC_STR_INIT("AccessDenied.Unpurchased"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("AllocationQuota.FreeTierOnly"), RC_CONCEPT_PLAN},
    {RC_STR_INIT("ModelUnavailable"), RC_CONCEPT_OVERLOADED},
    {RC_STR_INIT("ModelServingError"), RC_CONCEPT_SERVER_ERROR},
    {RC_STR_INIT("RequestTimeOut"), RC_CONCEPT_TIMEOUT},
    {RC_STR_INIT("CommodityNotPurchased"), RC_CONCEPT_PERMISSION},
    {RC_STR_INIT("PrepaidBillOverdue"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("PostpaidBillOverdue"), RC_CONCEPT_BALANCE},
    {RC_STR_INIT("LimitRequests"), RC_CONCEPT_RATE},
    {RC_STR_INIT("limit_requests"), RC_CONCEPT_RATE},
    {RC_STR_INIT("limit_burst_rate"), RC_CONCEPT_RATE},
};

static const rc_provider_signature SIGNATURES[] = {
    {RC_SIGNATURE_HEADER, RC_STR_INIT("x-dashscope-")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("Arrearage")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("DataInspectionFailed")},
    {RC_SIGNATURE_CODE, RC_STR_INIT("Throttling.RateQuota")},
};

/* The compatible mode borrows OpenAI's sentence and code of a spent quota for tokens per minute.
 * The link at its end tells: #token-limit is the throttle, unless the sentence is of the free
 * quota. */
static void extract(rc_evidence *evidence)
{
    for (size_t i = 0; i < evidence->layer_count; i++) {
        rc_layer *layer = &evidence->layers[i];
        bool is_throttle = rc_text_has(layer->message, RC_STR("#token-limit")) &&
                           !rc_str_starts_with_nocase(layer->message, RC_STR("Free "));
        if (!is_throttle)
            continue;
        layer->code = RC_STR("Throttling.AllocationQuota");
        layer->type = RC_STR("tokens");
        layer->message = (rc_str){NULL, 0};
    }
}

const rc_provider rc_provider_dashscope = {
    .name = RC_STR_INIT("dashscope"),
    .title = RC_STR_INIT("DashScope"),
    .rank = RC_PROVIDER_SERVICE,
    RC_CODES(CODES),
    RC_SIGNATURES(SIGNATURES),
    .extract = extract,
};
