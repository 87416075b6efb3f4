# cmake -DFILES=a;b -DOUT=FILE.c -P Embed.cmake: writes files as a C table, which
# src/gateway/admin/web.h declares. The output is reproducible.
set(types_html "text/html; charset=utf-8")
set(types_css "text/css; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_svg "image/svg+xml")

set(arrays "")
set(rows "")
set(count 0)
foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    get_filename_component(extension ${file} LAST_EXT)
    string(SUBSTRING ${extension} 1 -1 extension)
    if(NOT DEFINED types_${extension})
        message(FATAL_ERROR "${file}: no type is known for .${extension}")
    endif()
    file(READ ${file} bytes HEX)
    file(SHA256 ${file} hash)
    string(SUBSTRING ${hash} 0 16 tag)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char file_${count}[] = {\n${bytes}};\n")
    string(APPEND rows "    {\"${name}\", \"${types_${extension}}\", \"\\\"${tag}\\\"\", file_${count}, sizeof(file_${count})},\n")
    math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "/* Written by cmake/Embed.cmake from web/ and d3. */\n#include \"gateway/admin/web.h\"\n\n${arrays}
const rc_web_file rc_web_files[] = {
${rows}};
const size_t rc_web_file_count = ${count};
")
