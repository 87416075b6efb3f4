# Each bench/bench_NOUN.c is a program; the other files of bench/ are linked to all of them. The
# libraries are there to be compared with: nothing that ships uses them.
enable_language(CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
find_package(PkgConfig REQUIRED)
pkg_check_modules(rivals REQUIRED IMPORTED_TARGET libcjson yajl json-c jansson simdjson)

file(GLOB bench_programs CONFIGURE_DEPENDS bench/bench_*.c)
file(GLOB bench_helpers CONFIGURE_DEPENDS bench/*.c bench/*.cpp)
list(REMOVE_ITEM bench_helpers ${bench_programs})
foreach(program ${bench_programs})
    get_filename_component(name ${program} NAME_WE)
    add_executable(${name} ${program} ${bench_helpers})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
    target_include_directories(${name} PRIVATE src)
    target_link_libraries(${name} PRIVATE recourse_core recourse_flags PkgConfig::rivals)
endforeach()
