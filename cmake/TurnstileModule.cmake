# SPDX-License-Identifier: Apache-2.0
# turnstile_module(<kind>): the module of a kind of server, turnstile::<kind>, of the objects turnstile_<kind>_objects. The
# core finds it by its entry function, turnstile_module_<kind> (src/modules/entry.hpp).
#
# As a shared library it stands beside libturnstile, exports its entry function alone, and has copies of the stateless
# sources that it shares with the core. As an archive it uses the core's objects, and the programs that link it are told to
# ask for its entry function, without which a linker would leave the archive out: no other symbol refers to it strongly.

# turnstile_link_in(<library> <kind>): programs that link the library have the module's entry function.
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
