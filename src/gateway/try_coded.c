/* The body of an answer that came compressed, although it was asked for plain.
 *
 *   on_body ──► decode ──► rc_gate_try_take        what judges, watches and counts sees plain bytes
 *                 │ too much for one turn, or the client is slow
 *                 └──► rest ──► the job's timer ──► decode ──► ... ──► the body's end, or a failure
 *
 * While something of it waits here, nothing is read of the provider: a few bytes that stand for
 * many keep neither the memory nor the loop. Whatever stops the try takes this with it. */
#include "base/str.h"
#include "gateway/job.h"
#include "http/inflate.h"

/* Decoded in one turn of the loop, and read of a provider before it can be told to wait. */
#define TURN_BYTES ((size_t)256 << 10)
#define REST_MAX_BYTES ((size_t)256 << 10)

#define UNREAD "The answer is compressed in a way that was not asked for, and cannot be read."
#define DAMAGED "The compressed answer is damaged."
#define CUT "The compressed answer ends too early."
#define NO_MEMORY "There is no memory for the answer."

struct rc_try_coded {
    rc_inflate *inflate;
    rc_buf rest; /* what waits, compressed */
    size_t rest_at;
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

static rc_try_coded *new_coded(rc_gate_try *try, rc_coding coding)
{
    const rc_alloc *alloc = &try->job->gate->settings.alloc;
    rc_try_coded *coded = alloc->get(alloc->ctx, sizeof *coded);
    if (coded == NULL)
        return NULL;
    *coded = (rc_try_coded){.alloc = *alloc, .is_dropped = coding == RC_CODING_OTHER};
    rc_buf_init(&coded->rest, alloc, REST_MAX_BYTES);
    if (coding != RC_CODING_OTHER)
        coded->inflate = rc_inflate_new(coding, alloc);
    if (coded->inflate != NULL || coding == RC_CODING_OTHER)
        return coded;
    alloc->put(alloc->ctx, coded, sizeof *coded);
    return NULL;
}

static void free_coded(rc_try_coded *coded)
{
    const rc_alloc alloc = coded->alloc;
    rc_inflate_free(coded->inflate);
    rc_buf_done(&coded->rest);
    alloc.put(alloc.ctx, coded, sizeof *coded);
}

/* A report may still be made of the piece that is being read: it goes when that is done. */
void rc_gate_try_coded_stop(rc_gate_try *try)
{
    rc_try_coded *coded = try->coded;
    if (coded == NULL)
        return;
    try->coded = NULL;
    coded->is_stopped = true;
    if (!coded->is_busy)
        free_coded(coded);
}

void rc_gate_try_coded_begin(rc_gate_try *try, rc_coding coding)
{
    if (coding == RC_CODING_OTHER && try->mode != RC_MODE_ERROR) {
        rc_gate_try_stop(try);
        rc_gate_try_fail_code(try, RC_CODE_MALFORMED_RESPONSE, RC_STR(UNREAD));
        return;
    }
    try->is_coded = true;
    try->coded = new_coded(try, coding);
    if (try->coded != NULL)
        return;
    rc_gate_try_stop(try);
    rc_gate_try_fail_here(try, RC_CODE_INTERNAL, RC_STR(NO_MEMORY));
}

bool rc_gate_try_coded_is_due(const rc_gate_try *try)
{
    return try->coded->is_due && !try->is_full;
}

/* ---- what went wrong ---- */

/* Of an error the status and what could be read of it have to do. False: the try is over. */
static bool fail_decoding(rc_gate_try *try, rc_inflate_result result)
{
    if (try->mode == RC_MODE_ERROR) {
        try->coded->is_dropped = true;
        return true;
    }
    rc_gate_try_stop(try);
    if (result == RC_INFLATE_DAMAGED)
        rc_gate_try_fail_code(try, RC_CODE_MALFORMED_RESPONSE, RC_STR(DAMAGED));
    else
        rc_gate_try_fail_here(try, RC_CODE_INTERNAL, RC_STR(NO_MEMORY));
    return false;
}

/* A stream may have said all that it had to say: what it lacks is the end of its coding alone. */
static void fail_cut(rc_gate_try *try)
{
    const rc_upstream_failure failure = {
        .kind = RC_UPSTREAM_CLOSED,
        .transport = RC_TRANSPORT_EOF,
        .phase = RC_PHASE_HEADERS,
        .text = CUT,
    };
    rc_gate_try_stop(try);
    if (try->mode == RC_MODE_STREAM)
        rc_gate_try_stream_end(try, &failure);
    else
        rc_gate_try_fail_code(try, RC_CODE_MALFORMED_RESPONSE, RC_STR(CUT));
}

/* ---- decoding ---- */

static bool is_enough(const rc_gate_try *try)
{
    return try->mode == RC_MODE_ERROR && rc_buf_get(&try->held).len >= RC_JOB_ERROR_MAX;
}

/* Decodes as much as may be in one turn; *input is moved past it. False: the try is over. */
static bool decode(rc_gate_try *try, rc_str *input)
{
    rc_try_coded *coded = try->coded;
    rc_inflate_result result = RC_INFLATE_PIECE;
    size_t done = 0;
    rc_str piece;
    while (!try->is_full && done < TURN_BYTES && !is_enough(try)) {
        result = rc_inflate_step(coded->inflate, input, &piece);
        if (result != RC_INFLATE_PIECE)
            break;
        done += piece.len;
        coded->is_busy = true;
        rc_gate_try_take(try, piece);
        coded->is_busy = false;
        if (coded->is_stopped) {
            free_coded(coded);
            return false;
        }
    }
    coded->is_dropped = is_enough(try);
    coded->is_due = result == RC_INFLATE_PIECE && !coded->is_dropped;
    return coded->is_due || coded->is_dropped || result == RC_INFLATE_MORE ||
           fail_decoding(try, result);
}

/* Nothing of the provider is read until what is here has had its turn. */
static void wait_for_turn(rc_gate_try *try)
{
    if (rc_upstream_is_live(&try->upstream))
        rc_upstream_pause(&try->upstream);
    rc_gate_job_arm(try->job);
}

void rc_gate_try_coded_body(rc_gate_try *try, rc_str piece)
{
    rc_try_coded *coded = try->coded;
    if (coded->is_dropped || (!coded->is_due && !decode(try, &piece)) || !coded->is_due)
        return;
    rc_buf_push(&coded->rest, piece);
    if (rc_buf_status(&coded->rest) == RC_OK)
        wait_for_turn(try);
    else
        (void)fail_decoding(try, RC_INFLATE_NO_MEMORY);
}

/* ---- the end ---- */

bool rc_gate_try_coded_end(rc_gate_try *try)
{
    rc_try_coded *coded = try->coded;
    coded->is_over = true;
    if (coded->is_due)
        return false;
    if (try->mode != RC_MODE_ERROR && !rc_inflate_is_whole(coded->inflate)) {
        fail_cut(try);
        return false;
    }
    rc_gate_try_coded_stop(try);
    return true;
}

bool rc_gate_try_coded_fail(rc_gate_try *try, const rc_upstream_failure *failure)
{
    rc_try_coded *coded = try->coded;
    if (!coded->is_due || failure->is_local) {
        rc_gate_try_coded_stop(try);
        return true;
    }
    coded->failure = *failure;
    /* What it views is gone by then. */
    coded->failure.text = rc_upstream_kind_text(failure->kind);
    coded->failure.detail = rc_str_make(NULL, 0);
    coded->is_over = coded->has_failed = true;
    return false;
}

static void end(rc_gate_try *try)
{
    const rc_upstream_failure failure = try->coded->failure;
    if (try->coded->has_failed) {
        rc_gate_try_coded_stop(try);
        rc_gate_try_lose(try, &failure);
    } else if (rc_gate_try_coded_end(try)) {
        rc_gate_try_end(try);
    }
}

void rc_gate_try_coded_turn(rc_gate_try *try)
{
    rc_try_coded *coded = try->coded;
    const rc_str rest = rc_buf_get(&coded->rest);
    rc_str input = rc_str_slice(rest, coded->rest_at, rest.len);
    if (!decode(try, &input))
        return;
    coded->rest_at = rest.len - input.len;
    if (coded->is_due) {
        wait_for_turn(try);
        return;
    }
    rc_buf_reset(&coded->rest);
    coded->rest_at = 0;
    if (coded->is_over)
        end(try);
    else if (!try->is_full && rc_upstream_is_live(&try->upstream))
        rc_upstream_resume(&try->upstream);
}
