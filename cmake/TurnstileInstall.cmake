# SPDX-License-Identifier: Apache-2.0
# Rules that install the libraries, the headers, the CMake package (with the find modules that it needs) and the .pc
# files.
include(CMakePackageConfigHelpers)

set(turnstile_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/turnstile")

# Each install rule names its component (docs/how-to/install.md): runtime, one component for each module, development,
# testing, command or documentation.
set(turnstile_components runtime ${turnstile_modules} development)

install(
    TARGETS turnstile EXPORT turnstileTargets
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development
    FILE_SET HEADERS COMPONENT development
    FILE_SET asio COMPONENT development
    FILE_SET boost_asio COMPONENT development
    FILE_SET prometheus COMPONENT development
    FILE_SET opentelemetry COMPONENT development
)
install(
    EXPORT turnstileTargets
    NAMESPACE turnstile::
    DESTINATION "${turnstile_cmake_dir}"
    COMPONENT development
)
# Each module has a separate file of CMake targets, so that a system can have only some of the modules.
if(TARGET turnstile_sql)
    install(TARGETS turnstile_sql EXPORT turnstileSqlTargets ARCHIVE COMPONENT development)
    install(
        EXPORT turnstileSqlTargets
        NAMESPACE turnstile::
        DESTINATION "${turnstile_cmake_dir}"
        COMPONENT development
    )
endif()
foreach(module IN LISTS turnstile_modules)
    install(
        TARGETS turnstile_${module} EXPORT turnstile-${module}Targets
        LIBRARY COMPONENT ${module} NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development
    )
    install(
        EXPORT turnstile-${module}Targets
        NAMESPACE turnstile::
        DESTINATION "${turnstile_cmake_dir}"
        COMPONENT development
    )
    # Operators who make the database's tables by hand need the module's .sql file.
    if(module IN_LIST turnstile_sql_modules)
        install(
            FILES "${PROJECT_SOURCE_DIR}/src/sql/schema/${module}.sql"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/turnstile"
            COMPONENT ${module}
        )
    endif()
    if(module STREQUAL mariadb)
        install(
            FILES "${PROJECT_SOURCE_DIR}/src/sql/schema/mysql.sql"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/turnstile"
            COMPONENT mariadb
        )
    endif()
endforeach()
if(TURNSTILE_BUILD_TESTING)
    list(APPEND turnstile_components testing)
    install(
        TARGETS turnstile_testing EXPORT turnstileTestingTargets
        ARCHIVE COMPONENT testing
        FILE_SET HEADERS COMPONENT testing
    )
    if(turnstile_installs_deterministic)
        install(
            TARGETS turnstile_deterministic EXPORT turnstileTestingTargets
            ARCHIVE COMPONENT testing
            FILE_SET HEADERS COMPONENT testing
        )
    endif()
    install(
        EXPORT turnstileTestingTargets
        NAMESPACE turnstile::
        DESTINATION "${turnstile_cmake_dir}"
        COMPONENT testing
    )
endif()
# The install rules of the command `turnstile` are in src/cli.
list(APPEND turnstile_components command documentation)
install(
    TARGETS turnstile_guardian turnstile_session_end
    RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/turnstile" COMPONENT command
)
# All operators need these files, whichever part of Turnstile they run.
install(
    FILES "${PROJECT_SOURCE_DIR}/packaging/monitoring/dashboard.json"
          "${PROJECT_SOURCE_DIR}/packaging/monitoring/turnstile.rules.yaml"
          "${PROJECT_SOURCE_DIR}/packaging/monitoring/turnstile.rules_test.yaml"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}/monitoring"
    COMPONENT documentation
)
install(
    FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/LICENSE"
          "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    COMPONENT documentation
)
install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/docs"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    COMPONENT documentation
)

set(turnstile_pc_spdlog "")
if(TURNSTILE_WITH_SPDLOG)
    set(turnstile_pc_spdlog " -lspdlog")
endif()
# A program that links libturnstile.a also needs these libraries. So the .pc file of a static build lists them in its
# field Libs. The field Requires.private would not work: if fmt's development package were missing, pkg-config would
# refuse even the shared library.
set(turnstile_pc_needs "${turnstile_pc_spdlog} -lzookeeper_mt -lboost_thread -lboost_chrono -lfmt -ldl -pthread")
if(BUILD_SHARED_LIBS)
    set(turnstile_is_static OFF)
    set(turnstile_pc_cflags "")
    set(turnstile_pc_libs "")
    set(turnstile_pc_private "Libs.private:${turnstile_pc_needs}")
else()
    set(turnstile_is_static ON)
    set(turnstile_pc_cflags " -DTURNSTILE_STATIC_DEFINE")
    set(turnstile_pc_libs "${turnstile_pc_needs}")
    set(turnstile_pc_private "")
endif()
configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/turnstileConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/turnstileConfig.cmake"
    INSTALL_DESTINATION "${turnstile_cmake_dir}"
    NO_SET_AND_CHECK_MACRO
)
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/turnstileConfigVersion.cmake" COMPATIBILITY SameMinorVersion
)
install(
    FILES "${PROJECT_BINARY_DIR}/turnstileConfig.cmake"
          "${PROJECT_BINARY_DIR}/turnstileConfigVersion.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/FindHiredis.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/FindMariaDB.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/FindSasl2.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/FindZooKeeper.cmake"
    DESTINATION "${turnstile_cmake_dir}"
    COMPONENT development
)

# The libraries that each module's archive needs beside the core. A linker would leave out an archive if the program
# uses none of its symbols. So the .pc file of an archive has the linker's option -u with the module's entry function.
set(turnstile_tls_pc "-lssl -lcrypto")
if(TURNSTILE_WITH_SASL)
    string(APPEND turnstile_tls_pc " -lsasl2")
endif()
set(turnstile_redis_pc "-lhiredis")
if(TURNSTILE_WITH_TLS)
    string(APPEND turnstile_redis_pc " -lssl -lcrypto")
endif()
set(turnstile_sqlite_pc "-lturnstile-sql -lsqlite3")
set(turnstile_postgresql_pc "-lturnstile-sql -lpq")
set(turnstile_mariadb_pc "-lturnstile-sql -lmariadb")
set(turnstile_module_pcs "")
foreach(module IN LISTS turnstile_modules)
    set(module_libs "-lturnstile-${module}")
    if(turnstile_is_static)
        string(PREPEND module_libs "-Wl,-u,turnstile_module_${module} ")
        string(APPEND module_libs " ${turnstile_${module}_pc}")
    endif()
    string(APPEND turnstile_module_pcs "
        set(module \"${module}\")
        set(module_libs \"${module_libs}\")
        configure_file(
            \"${PROJECT_SOURCE_DIR}/cmake/turnstile-module.pc.in\"
            \"${PROJECT_BINARY_DIR}/turnstile-${module}.pc\" @ONLY
        )"
    )
endforeach()

# Writes the .pc files at install time, because `cmake --install --prefix` can change the prefix.
set(turnstile_pc_files turnstile.pc)
set(turnstile_testing_pc_files "")
if(TURNSTILE_BUILD_TESTING)
    list(APPEND turnstile_testing_pc_files turnstile-testing.pc)
    if(turnstile_installs_deterministic)
        list(APPEND turnstile_testing_pc_files turnstile-deterministic.pc)
    endif()
endif()
install(
    CODE "
        set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
        set(PROJECT_VERSION \"${PROJECT_VERSION}\")
        set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
        set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
        set(turnstile_pc_cflags \"${turnstile_pc_cflags}\")
        set(turnstile_pc_libs \"${turnstile_pc_libs}\")
        set(turnstile_pc_private \"${turnstile_pc_private}\")
        set(turnstile_pc_spdlog \"${turnstile_pc_spdlog}\")
        foreach(file IN ITEMS ${turnstile_pc_files} ${turnstile_testing_pc_files})
            configure_file(
                \"${PROJECT_SOURCE_DIR}/cmake/\${file}.in\" \"${PROJECT_BINARY_DIR}/\${file}\" @ONLY
            )
        endforeach()
        ${turnstile_module_pcs}
    "
    ALL_COMPONENTS
)
foreach(module IN LISTS turnstile_modules)
    list(APPEND turnstile_pc_files turnstile-${module}.pc)
endforeach()
list(TRANSFORM turnstile_pc_files PREPEND "${PROJECT_BINARY_DIR}/")
list(TRANSFORM turnstile_testing_pc_files PREPEND "${PROJECT_BINARY_DIR}/")
set(turnstile_pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES ${turnstile_pc_files} DESTINATION "${turnstile_pc_dir}" COMPONENT development)
install(FILES ${turnstile_testing_pc_files} DESTINATION "${turnstile_pc_dir}" COMPONENT testing)

include(TurnstilePackage)
