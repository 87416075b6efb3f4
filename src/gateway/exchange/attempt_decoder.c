/* The body of an answer that came compressed, although it was asked for plain.
 *
 *   on_body ──► decode ──► rc_attempt_on_body   what judges, watches and counts sees plain bytes
 *                 │ too much for one turn, or the client is slow
 *                 └──► rest ──► the job's timer ──► decode ──► ... ──► the body's end, or a failure
 *
 * While something of it waits here, nothing is read of the provider: a few bytes that stand for
 * many keep neither the memory nor the loop. Whatever stops the try takes this with it. */
#include "base/str.h"
#include "gateway/exchange/exchange.h"
#include "http/inflate.h"

/* Decoded in one turn of the loop, and read of a provider before it can be told to wait. */
#define TURN_BYTES ((size_t)256 << 10)
#define PENDING_MAX_BYTES ((size_t)256 << 10)

struct rc_attempt_decoder {
    rc_inflate *inflate;
    rc_buf pending; /* what waits, compressed */
    size_t pending_at;
    bool is_due;     /* it waits for its turn; zlib may have more, too */
    bool is_dropped; /* what comes is of no use: an error whose text is known, or cannot be */
    bool is_over;    /* the provider has said all, or has failed */
    bool has_failed;
    rc_upstream_failure failure;
    bool is_busy;    /* a piece of it is being read */
    bool is_stopped; /* meanwhile */
    rc_alloc alloc;
};

/* ---- life ---- */

static rc_attempt_decoder *new_decoder(rc_attempt *attempt, rc_coding coding)
{
    const rc_alloc *alloc = &attempt->exchange->loop->settings.alloc;
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

/* A report may still be made of the piece that is being read: it goes when that is done. */
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

/* ---- what went wrong ---- */

/* Of an error the status and what could be read of it have to do. False: the try is over. */
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

/* A stream may have said all that it had to say: what it lacks is the end of its coding alone. */
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

/* ---- decoding ---- */

static bool is_enough(const rc_attempt *attempt)
{
    return attempt->mode == RC_MODE_ERROR && rc_buf_get(&attempt->held).len >= RC_ATTEMPT_ERROR_MAX;
}

/* Decodes as much as may be in one turn; *input is moved past it. False: the try is over. */
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

/* Nothing of the provider is read until what is here has had its turn. */
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
    /* What it views is gone by then. */
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
