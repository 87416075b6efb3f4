# The files of "make install". The pkg-config file and the CMake package use relative paths, so the prefix
# can be chosen at install time.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Recourse)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig /p/${pkgconfig_dir} /p)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig ${prefix_from_pkgconfig})
configure_file(recourse.pc.in recourse.pc @ONLY)
configure_package_config_file(cmake/RecourseConfig.cmake.in RecourseConfig.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(RecourseConfigVersion.cmake COMPATIBILITY SameMinorVersion)

set_target_properties(recourse_shared PROPERTIES EXPORT_NAME recourse)
set_target_properties(recourse_core PROPERTIES EXPORT_NAME recourse_static)
install(TARGETS recourse_shared recourse_core EXPORT RecourseTargets)
install(EXPORT RecourseTargets NAMESPACE Recourse:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/RecourseConfig.cmake
              ${PROJECT_BINARY_DIR}/RecourseConfigVersion.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/recourse.pc DESTINATION ${pkgconfig_dir})

install(PROGRAMS ${PROJECT_BINARY_DIR}/recourse TYPE BIN)
install(DIRECTORY include/recourse TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE packaging/debian/copyright TYPE DOC)
foreach(section 1 3 5 7)
    file(GLOB pages CONFIGURE_DEPENDS man/*.${section})
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(FILES completions/recourse.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME recourse)
install(FILES completions/recourse.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        RENAME _recourse)
install(FILES completions/recourse.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
