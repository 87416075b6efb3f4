/* Decompresses the body of a response that the provider compressed although the gateway did not
 * accept compression. Called by attempt.c, attempt_response.c and exchange.c.
 *
 *   on_body ──► decode ──► rc_attempt_on_body   the other files see plain bytes
 *                 │ too much for one turn, or the client is slow
 *                 └──► pending ──► the exchange's timer ──► decode ──► ... ──► end or failure
 *
 * While data is pending, nothing is read from the provider, so that highly compressed data uses
 * neither much memory nor much time of the loop. Stopping the attempt stops the decoder. */
#include "gateway/exchange/attempt_decoder.h"
#include "base/str.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/attempt_failure.h"
#include "gateway/exchange/attempt_response.h"
#include "gateway/exchange/attempt_stream.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/runtime/runtime.h"
#include "http/inflate.h"

/* TURN_BYTES is the maximum number of bytes that are decompressed in one turn, that is, in one
 * callback of the event loop. PENDING_MAX_BYTES is the maximum number of bytes that are received
 * before the provider's connection can be paused. */
#define TURN_BYTES ((size_t)256 << 10)
#define PENDING_MAX_BYTES ((size_t)256 << 10)

struct rc_attempt_decoder {
    rc_inflate *inflate;
    rc_buf pending; /* Compressed bytes for the next turn. */
    size_t pending_at;
    bool is_due;     /* Data must be decompressed in the next turn; it is in `pending` or in zlib's
                      * own buffer. */
    bool is_dropped; /* Further data is ignored, because the text of an error response is long
                      * enough or cannot be decompressed. */
    bool is_over;    /* The body is complete or the call has failed, so that no further data
                      * arrives. */
    bool has_failed;
    rc_upstream_failure failure;
    bool is_busy;    /* rc_attempt_on_body is handling a decompressed piece. */
    bool is_stopped; /* The decoder was stopped while a piece was being handled. */
    rc_alloc alloc;
};

/* ---- life cycle ---- */

static rc_attempt_decoder *new_decoder(rc_attempt *attempt, rc_coding coding)
{
    const rc_alloc *alloc = &attempt->exchange->runtime->alloc;
    rc_attempt_decoder *decoder = alloc->get(alloc->ctx, sizeof *decoder);
    if (decoder == NULL)
        return NULL;
    *decoder = (rc_attempt_decoder){.alloc = *alloc, .is_dropped = coding == RC_CODING_OTHER};
    rc_buf_init(&decoder->pending, alloc, PENDING_MAX_BYTES);
    if (coding != RC_CODING_OTHER)
        decoder->inflate = rc_inflate_new(coding, alloc);
    if (decoder->inflate != NULL || coding == RC_CODING_OTHER)
        return decoder;
    alloc->put(alloc->ctx, decoder, sizeof *decoder);
    return NULL;
}

static void free_decoder(rc_attempt_decoder *decoder)
{
    const rc_alloc alloc = decoder->alloc;
    rc_inflate_free(decoder->inflate);
    rc_buf_done(&decoder->pending);
    alloc.put(alloc.ctx, decoder, sizeof *decoder);
}

/* While a piece is being handled, a report may still view the piece's bytes, so decode() frees the
 * decoder after the piece. */
void rc_attempt_decoder_stop(rc_attempt *attempt)
{
    rc_attempt_decoder *decoder = attempt->decoder;
    if (decoder == NULL)
        return;
    attempt->decoder = NULL;
    decoder->is_stopped = true;
    if (!decoder->is_busy)
        free_decoder(decoder);
}

void rc_attempt_decoder_begin(rc_attempt *attempt, rc_coding coding)
{
    if (coding == RC_CODING_OTHER && attempt->mode != RC_MODE_ERROR) {
        rc_attempt_stop(attempt);
        rc_attempt_fail_unusable(attempt, RC_LOCAL_ENCODING_UNKNOWN);
        return;
    }
    attempt->is_compressed = true;
    attempt->decoder = new_decoder(attempt, coding);
    if (attempt->decoder != NULL)
        return;
    rc_attempt_stop(attempt);
    rc_attempt_fail_local(attempt, RC_LOCAL_NO_MEMORY_FOR_DECODER, RC_STR(""));
}

bool rc_attempt_decoder_is_due(const rc_attempt *attempt)
{
    return attempt->decoder->is_due && !attempt->is_client_slow;
}

/* ---- failures ---- */

/* Handles data that cannot be decompressed. An error response is used with its status and the text
 * so far; any other response fails. Returns false if the attempt is over. */
static bool fail_decoding(rc_attempt *attempt, rc_inflate_result result)
{
    if (attempt->mode == RC_MODE_ERROR) {
        attempt->decoder->is_dropped = true;
        return true;
    }
    rc_attempt_stop(attempt);
    if (result == RC_INFLATE_DAMAGED)
        rc_attempt_fail_unusable(attempt, RC_LOCAL_ENCODING_DAMAGED);
    else
        rc_attempt_fail_local(attempt, RC_LOCAL_NO_MEMORY_FOR_DECODER, RC_STR(""));
    return false;
}

/* Ends a response whose compressed data is cut off. A stream may be complete nevertheless, if its
 * terminator has arrived. */
static void fail_cut(rc_attempt *attempt)
{
    const rc_upstream_failure failure = {
        .kind = RC_UPSTREAM_CLOSED,
        .transport = RC_TRANSPORT_EOF,
        .phase = RC_PHASE_HEADERS,
        .text = rc_local_outcome_get(RC_LOCAL_ENCODING_CUT)->message.ptr,
    };
    rc_attempt_stop(attempt);
    if (attempt->mode == RC_MODE_STREAM)
        rc_attempt_stream_on_end(attempt, &failure);
    else
        rc_attempt_fail_unusable(attempt, RC_LOCAL_ENCODING_CUT);
}

/* ---- decompressing ---- */

static bool is_enough(const rc_attempt *attempt)
{
    return attempt->mode == RC_MODE_ERROR && rc_buf_get(&attempt->held).len >= RC_ATTEMPT_ERROR_MAX;
}

/* Decompresses up to TURN_BYTES and moves *input past the bytes that were used. Returns false if
 * the attempt is over. */
static bool decode(rc_attempt *attempt, rc_str *input)
{
    rc_attempt_decoder *decoder = attempt->decoder;
    rc_inflate_result result = RC_INFLATE_PIECE;
    size_t done = 0;
    rc_str piece;
    while (!attempt->is_client_slow && done < TURN_BYTES && !is_enough(attempt)) {
        result = rc_inflate_step(decoder->inflate, input, &piece);
        if (result != RC_INFLATE_PIECE)
            break;
        done += piece.len;
        decoder->is_busy = true;
        rc_attempt_on_body(attempt, piece);
        decoder->is_busy = false;
        if (decoder->is_stopped) {
            free_decoder(decoder);
            return false;
        }
    }
    decoder->is_dropped = is_enough(attempt);
    decoder->is_due = result == RC_INFLATE_PIECE && !decoder->is_dropped;
    return decoder->is_due || decoder->is_dropped || result == RC_INFLATE_MORE ||
           fail_decoding(attempt, result);
}

/* Pauses the provider's connection until the pending data is decompressed in a later turn. */
static void wait_for_turn(rc_attempt *attempt)
{
    if (rc_upstream_is_live(&attempt->upstream))
        rc_upstream_pause(&attempt->upstream);
    rc_exchange_arm(attempt->exchange);
}

void rc_attempt_decoder_on_body(rc_attempt *attempt, rc_str piece)
{
    rc_attempt_decoder *decoder = attempt->decoder;
    if (decoder->is_dropped || (!decoder->is_due && !decode(attempt, &piece)) || !decoder->is_due)
        return;
    rc_buf_push(&decoder->pending, piece);
    if (rc_buf_status(&decoder->pending) == RC_OK)
        wait_for_turn(attempt);
    else
        (void)fail_decoding(attempt, RC_INFLATE_NO_MEMORY);
}

/* ---- the end ---- */

bool rc_attempt_decoder_on_end(rc_attempt *attempt)
{
    rc_attempt_decoder *decoder = attempt->decoder;
    decoder->is_over = true;
    if (decoder->is_due)
        return false;
    if (attempt->mode != RC_MODE_ERROR && !rc_inflate_is_whole(decoder->inflate)) {
        fail_cut(attempt);
        return false;
    }
    rc_attempt_decoder_stop(attempt);
    return true;
}

bool rc_attempt_decoder_on_failure(rc_attempt *attempt, const rc_upstream_failure *failure)
{
    rc_attempt_decoder *decoder = attempt->decoder;
    if (!decoder->is_due || failure->is_local) {
        rc_attempt_decoder_stop(attempt);
        return true;
    }
    decoder->failure = *failure;
    /* The failure is handled later, when the texts that it views no longer exist. */
    decoder->failure.text = rc_upstream_kind_text(failure->kind);
    decoder->failure.detail = rc_str_make(NULL, 0);
    decoder->is_over = decoder->has_failed = true;
    return false;
}

static void end(rc_attempt *attempt)
{
    const rc_upstream_failure failure = attempt->decoder->failure;
    if (attempt->decoder->has_failed) {
        rc_attempt_decoder_stop(attempt);
        rc_attempt_on_failure(attempt, &failure);
    } else if (rc_attempt_decoder_on_end(attempt)) {
        rc_attempt_on_body_end(attempt);
    }
}

void rc_attempt_decoder_turn(rc_attempt *attempt)
{
    rc_attempt_decoder *decoder = attempt->decoder;
    const rc_str pending = rc_buf_get(&decoder->pending);
    rc_str input = rc_str_slice(pending, decoder->pending_at, pending.len);
    if (!decode(attempt, &input))
        return;
    decoder->pending_at = pending.len - input.len;
    if (decoder->is_due) {
        wait_for_turn(attempt);
        return;
    }
    rc_buf_reset(&decoder->pending);
    decoder->pending_at = 0;
    if (decoder->is_over)
        end(attempt);
    else if (!attempt->is_client_slow && rc_upstream_is_live(&attempt->upstream))
        rc_upstream_resume(&attempt->upstream);
}
