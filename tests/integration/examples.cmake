# SPDX-License-Identifier: Apache-2.0
if(TURNSTILE_BUILD_EXAMPLES)
    turnstile_add_test(
        integration_examples SOURCES examples_test.cpp SINGLE_TEST LABELS server PROCESSORS 2
    )
    if(TARGET integration_examples)
        add_dependencies(integration_examples turnstile_examples)
        target_compile_definitions(
            integration_examples
            PRIVATE TURNSTILE_EXAMPLES_BUILD="${PROJECT_BINARY_DIR}/examples"
                    TURNSTILE_EXAMPLES_SOURCE="${PROJECT_SOURCE_DIR}/examples"
                    $<$<BOOL:${TURNSTILE_INTERRUPTION}>:TURNSTILE_EXAMPLE_WITH_INTERRUPTION>
                    $<$<BOOL:${TURNSTILE_ASIO_HAS_COROUTINES}>:TURNSTILE_EXAMPLE_WITH_ASIO>
                    $<$<BOOL:${TURNSTILE_WITH_REDIS}>:TURNSTILE_EXAMPLE_WITH_REDIS>
                    $<$<BOOL:${TURNSTILE_WITH_SQLITE}>:TURNSTILE_EXAMPLE_WITH_SQLITE>
        )
    endif()

    # Runs a program of docs/start/situations.md in several processes, on each kind of server.
    set(kinds zookeeper memory)
    foreach(kind IN ITEMS redis postgresql mariadb sqlite)
        string(TOUPPER ${kind} upper)
        if(TURNSTILE_WITH_${upper})
            list(APPEND kinds ${kind})
        endif()
    endforeach()
    list(TRANSFORM kinds REPLACE "(.+)" "situations_\\1=\\1/" OUTPUT_VARIABLE suites)
    turnstile_add_test(
        integration_situations
        SOURCES situations_test.cpp
        LABELS server
        PROCESSORS 2
        COST 30
        SUITES ${suites}
    )
    if(TARGET integration_situations)
        add_dependencies(integration_situations turnstile_examples)
        target_compile_definitions(
            integration_situations
            PRIVATE TURNSTILE_EXAMPLES_BUILD="${PROJECT_BINARY_DIR}/examples"
                    $<$<BOOL:${TURNSTILE_WITH_REDIS}>:TURNSTILE_WITH_REDIS>
                    $<$<BOOL:${TURNSTILE_WITH_POSTGRESQL}>:TURNSTILE_WITH_POSTGRESQL>
                    $<$<BOOL:${TURNSTILE_WITH_MARIADB}>:TURNSTILE_WITH_MARIADB>
                    $<$<BOOL:${TURNSTILE_WITH_SQLITE}>:TURNSTILE_WITH_SQLITE>
        )
    endif()
endif()
