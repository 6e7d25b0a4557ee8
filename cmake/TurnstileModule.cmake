# SPDX-License-Identifier: Apache-2.0
# turnstile_module(<kind>) makes the module of a kind of server, turnstile::<kind>, from the objects
# turnstile_<kind>_objects. The core finds the module by its entry function, turnstile_module_<kind>
# (src/modules/entry.hpp).
#
# A module that is a shared library is in the folder of libturnstile. It exports only its entry function, and has copies
# of the stateless sources that it shares with the core. A module that is an archive uses the core's objects. Programs
# that link the archive get an option that requires its entry function. Without this option a linker would leave the
# archive out, because the program has no other strong reference to a symbol of the archive.

# turnstile_link_in(<library> <kind>): programs that link the library also link the module's entry function.
function(turnstile_link_in library kind)
    target_link_options(${library} INTERFACE "LINKER:-u,turnstile_module_${kind}")
endfunction()

function(turnstile_module kind)
    set(library turnstile_${kind})
    add_library(${library} $<TARGET_OBJECTS:turnstile_${kind}_objects>)
    add_library(turnstile::${kind} ALIAS ${library})
    turnstile_target(${library})
    set_target_properties(
        ${library}
        PROPERTIES
            LINKER_LANGUAGE CXX
            OUTPUT_NAME turnstile-${kind}
            EXPORT_NAME ${kind}
            VERSION "${PROJECT_VERSION}"
            SOVERSION "${turnstile_abi}"
            INSTALL_RPATH "$ORIGIN"
            LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/module.map"
    )
    target_link_libraries(
        ${library} PUBLIC turnstile PRIVATE ${turnstile_dependencies} ${turnstile_${kind}_dependencies}
    )
    if(kind STREQUAL "tls" OR kind STREQUAL "redis")
        target_sources(${library} PRIVATE $<TARGET_OBJECTS:turnstile_tls_common_objects>)
    endif()
    if(kind STREQUAL "tls")
        target_sources(${library} PRIVATE $<TARGET_OBJECTS:turnstile_sasl_objects>)
    endif()
    if(BUILD_SHARED_LIBS)
        target_sources(${library} PRIVATE $<TARGET_OBJECTS:turnstile_module_side_objects>)
        if(kind IN_LIST turnstile_sql_modules)
            target_sources(${library} PRIVATE $<TARGET_OBJECTS:turnstile_sql_objects>)
        endif()
        target_link_options(
            ${library} PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/module.map"
        )
        if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
            target_link_options(${library} PRIVATE LINKER:--no-undefined)
        endif()
        return()
    endif()
    turnstile_link_in(${library} ${kind})
    if(kind IN_LIST turnstile_sql_modules)
        if(NOT TARGET turnstile_sql)
            add_library(turnstile_sql STATIC $<TARGET_OBJECTS:turnstile_sql_objects>)
            turnstile_target(turnstile_sql)
            set_target_properties(
                turnstile_sql PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME turnstile-sql
                                         EXPORT_NAME sql_parts
            )
            target_link_libraries(
                turnstile_sql PUBLIC turnstile PRIVATE ${turnstile_dependencies}
            )
        endif()
        target_link_libraries(${library} PRIVATE turnstile_sql)
    endif()
endfunction()
