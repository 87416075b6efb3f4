# Each folder of bench/ is one program, bench_FOLDER. The libraries are used only for comparison; nothing
# that ships links them.
enable_language(CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
find_package(PkgConfig REQUIRED)
pkg_check_modules(rivals REQUIRED IMPORTED_TARGET libcjson yajl json-c jansson simdjson)

file(GLOB bench_mains CONFIGURE_DEPENDS bench/*/main.c)
foreach(main ${bench_mains})
    get_filename_component(folder ${main} DIRECTORY)
    get_filename_component(noun ${folder} NAME)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*.cpp)
    add_executable(bench_${noun} ${sources})
    set_target_properties(bench_${noun} PROPERTIES LINKER_LANGUAGE CXX)
    target_include_directories(bench_${noun} PRIVATE lib src .)
    target_link_libraries(bench_${noun} PRIVATE
        recourse_core recourse_flags PkgConfig::rivals m)
    # These benchmarks use the command, not only the library.
    if(noun MATCHES "^(audit|simulate)$")
        target_link_libraries(bench_${noun} PRIVATE recourse_command)
    endif()
    # The gateway benchmark has a provider with TLS.
    if(noun STREQUAL gateway)
        target_link_libraries(bench_${noun} PRIVATE PkgConfig::openssl)
    endif()
endforeach()
