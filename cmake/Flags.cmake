# recourse_flags: compiler and linker flags for all of our own code.
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

add_library(recourse_flags INTERFACE)

target_compile_options(recourse_flags INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wformat=2 -Wswitch-enum -Wvla -Wwrite-strings
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)
if(RECOURSE_WERROR)
    target_compile_options(recourse_flags INTERFACE -Werror)
endif()

# The macro __FILE__ contains no path of the build machine, so that builds are reproducible. Debug
# information keeps the paths, so that a debugger finds the files.
target_compile_options(recourse_flags INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

# Hardening is for release builds. _FORTIFY_SOURCE needs optimisation, and it hides calls from the
# sanitizers.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(recourse_flags INTERFACE
        -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
    foreach(flag -fstack-clash-protection -fcf-protection -fno-plt)
        string(MAKE_C_IDENTIFIER "has${flag}" has_flag)
        check_c_compiler_flag(${flag} ${has_flag})
        if(${has_flag})
            target_compile_options(recourse_flags INTERFACE ${flag})
        endif()
    endforeach()
    target_link_options(recourse_flags INTERFACE
        -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed)
endif()

if(RECOURSE_SANITIZE)
    set(sanitize -fsanitize=${RECOURSE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(recourse_flags INTERFACE ${sanitize})
    target_link_options(recourse_flags INTERFACE ${sanitize})
endif()
if(RECOURSE_FUZZ)
    target_compile_options(recourse_flags INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(recourse_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(RECOURSE_ANALYZE)
    target_compile_options(recourse_flags INTERFACE -fanalyzer)
endif()
if(RECOURSE_COVERAGE)
    # Atomic counters, because tests run the library in several threads.
    target_compile_options(recourse_flags INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(recourse_flags INTERFACE --coverage)
endif()
