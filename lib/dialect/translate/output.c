/* Functions that the readers and writers of responses share. Called by the output_read and
 * output_write files of lib/dialect. */
#include "dialect/translate/output.h"

#include "base/str.h"
#include "dialect/stream_table.h"
#include "dialect/translate/schema.h"

/* number of buffers of a writer whose failure is a failure of the writer */
#define WRITER_BUFS 7

/* ---- readers ---- */

void rc_output_reader_init(rc_output_reader *reader, rc_piece_sink sink)
{
    *reader = (rc_output_reader){.sink = sink};
    rc_usage_init(&reader->usage);
}

rc_status rc_output_push(rc_output_reader *reader, rc_piece *piece)
{
    rc_piece start = {.kind = RC_PIECE_START};
    rc_status status = RC_OK;
    if (!reader->has_started && piece->kind != RC_PIECE_PING) {
        reader->has_started = true;
        status = reader->sink.push(reader->sink.ctx, &start);
    }
    return status == RC_OK ? reader->sink.push(reader->sink.ctx, piece) : status;
}

rc_status rc_output_push_text(rc_output_reader *reader, rc_block_kind block, rc_str raw)
{
    rc_piece piece = {.kind = RC_PIECE_DELTA, .block = block, .text = raw};
    return raw.len > 0 ? rc_output_push(reader, &piece) : RC_OK;
}

rc_status rc_output_push_usage(rc_output_reader *reader, rc_str object)
{
    rc_piece piece = {.kind = RC_PIECE_USAGE};
    if (!rc_usage_read_object(&reader->usage, object))
        return RC_OK;
    piece.usage = rc_usage_reported(&reader->usage);
    return rc_output_push(reader, &piece);
}

rc_status rc_output_push_finish(rc_output_reader *reader, rc_str reason)
{
    rc_piece piece = {.kind = RC_PIECE_FINISH, .finish = rc_stream_finish_parse(reason)};
    if (reader->has_finish)
        return RC_OK;
    if (piece.finish >= RC_STREAM_FINISH_TOOL)
        return RC_E_SYNTAX; /* the provider failed, or the model made a malformed call */
    reader->has_finish = true;
    reader->finish = piece.finish;
    return rc_output_push(reader, &piece);
}

rc_status rc_output_push_end(rc_output_reader *reader)
{
    rc_piece end = {.kind = RC_PIECE_END, .finish = reader->finish};
    rc_status status = reader->has_finish ? RC_OK : rc_output_push_finish(reader, RC_STR("stop"));
    return status == RC_OK ? rc_output_push(reader, &end) : status;
}

/* ---- writers ---- */

void rc_output_writer_init(rc_output_writer *writer, const rc_output_facts *facts, rc_buf *out,
                           const rc_alloc *alloc, size_t max_bytes)
{
    *writer = (rc_output_writer){
        .facts = *facts, .out = out, .usage = RC_USAGE_COUNT_NONE, .finish = RC_STREAM_FINISH_GOOD};
    for (size_t i = 0; i < sizeof writer->texts / sizeof *writer->texts; i++)
        rc_buf_init(&writer->texts[i], alloc, max_bytes);
    rc_buf_init(&writer->calls, alloc, max_bytes);
    rc_buf_init(&writer->arguments, alloc, max_bytes);
    rc_buf_init(&writer->state, alloc, max_bytes);
    rc_json_writer_init(&writer->json, out, 0);
}

void rc_output_writer_done(rc_output_writer *writer)
{
    for (size_t i = 0; i < sizeof writer->texts / sizeof *writer->texts; i++)
        rc_buf_done(&writer->texts[i]);
    rc_buf_done(&writer->calls);
    rc_buf_done(&writer->arguments);
    rc_buf_done(&writer->state);
}

rc_status rc_output_writer_status(const rc_output_writer *writer)
{
    const rc_buf *const bufs[WRITER_BUFS] = {
        writer->out,    &writer->texts[0],  &writer->texts[1], &writer->texts[2],
        &writer->calls, &writer->arguments, &writer->state};
    for (size_t i = 0; i < WRITER_BUFS; i++)
        if (rc_buf_status(bufs[i]) != RC_OK)
            return rc_buf_status(bufs[i]);
    return RC_OK;
}

void rc_output_begin_event(rc_output_writer *writer, const char *name)
{
    if (name[0] != '\0') {
        rc_buf_push(writer->out, RC_STR("event: "));
        rc_buf_push(writer->out, rc_str_c(name));
        rc_buf_push_byte(writer->out, '\n');
    }
    if (!writer->facts.is_array)
        rc_buf_push(writer->out, RC_STR("data: "));
    else
        rc_buf_push(writer->out, writer->event_count == 0 ? RC_STR("[") : RC_STR(",\r\n"));
    writer->event_count++;
    rc_json_writer_init(&writer->json, writer->out, 0);
    rc_json_object_begin(&writer->json);
}

void rc_output_end_event(rc_output_writer *writer)
{
    rc_json_object_end(&writer->json);
    if (!writer->facts.is_array)
        rc_buf_push(writer->out, RC_STR("\n\n"));
}

void rc_output_push_arguments(rc_buf *buf, const rc_piece *piece)
{
    if (piece->is_value)
        rc_json_push_escaped(buf, piece->text);
    else
        rc_buf_push(buf, piece->text);
}

rc_str rc_output_object(rc_output_writer *writer)
{
    rc_str text = rc_str_trim(rc_buf_get(&writer->arguments));
    if (text.len == 0 || rc_str_eq(text, RC_STR("null")))
        return RC_STR("{}");
    if (rc_schema_is_object(text))
        return text;
    writer->has_odd_call = true;
    return rc_str_c(NULL);
}

rc_status rc_output_finish(rc_output_writer *writer, rc_stream_finish finish)
{
    writer->finish = finish;
    return writer->has_odd_call && finish != RC_STREAM_FINISH_LENGTH ? RC_E_SYNTAX : RC_OK;
}
