/* Generated from spec/languages.txt by `make generate`. Do not edit. */
#include "classify/languages/table.h"

#include "classify/languages/words.h"
#include "classify/phrases/table.h"

#include "classify/languages/table.inc"
