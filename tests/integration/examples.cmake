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
                    $<$<BOOL:${TURNSTILE_ASIO_HAS_COROUTINES}>:TURNSTILE_EXAMPLE_WITH_ASIO>
                    $<$<BOOL:${TURNSTILE_WITH_REDIS}>:TURNSTILE_EXAMPLE_WITH_REDIS>
                    $<$<BOOL:${TURNSTILE_WITH_SQLITE}>:TURNSTILE_EXAMPLE_WITH_SQLITE>
        )
    endif()
endif()
