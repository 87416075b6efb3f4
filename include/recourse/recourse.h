/* Recourse: one error model for every LLM and tool call. Everything but stdlib.h. */
#ifndef RECOURSE_H
#define RECOURSE_H

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/builder.h>
#include <recourse/classify.h>
#include <recourse/codes.h>
#include <recourse/export.h>
#include <recourse/id.h>
#include <recourse/json.h>
#include <recourse/partial.h>
#include <recourse/render.h>
#include <recourse/report.h>
#include <recourse/rules.h>
#include <recourse/status.h>
#include <recourse/str.h>
#include <recourse/suppressed.h>
#include <recourse/taxonomy.h>
#include <recourse/version.h>

#endif
