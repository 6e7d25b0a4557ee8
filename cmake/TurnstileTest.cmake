# turnstile_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...] [SINGLE_TEST]
#                    [RUN_SERIAL] [PROCESSORS <n>] [RESOURCE_LOCK <name>...] [TIMEOUT <seconds>])
#
# An executable of GoogleTest cases, linked with turnstile_internal, so that it sees the internals and the
# testing kit. Each case becomes a ctest test named <name>.<suite>.<case>; with SINGLE_TEST the whole
# executable is one ctest test, for cases that share something costly (a server).
#
# Labels:  slow      left out by scripts/test --quick; every other test gets the label quick
#          server    needs ZooKeeper's jars and Java
#          sanitize  runs under the sanitizers too
# TURNSTILE_TEST_LABEL limits a build to the tests of one label; TURNSTILE_TEST_PREFIX keeps the names of
# several build trees apart.
set(TURNSTILE_TEST_LABEL "" CACHE STRING "Build only the tests that carry this label")
set(TURNSTILE_TEST_PREFIX "" CACHE STRING "Prefix of the tests' names")

include(GoogleTest)

function(turnstile_add_test name)
    cmake_parse_arguments(
        PARSE_ARGV 1 arg "SINGLE_TEST;RUN_SERIAL" "PROCESSORS;TIMEOUT"
        "SOURCES;LIBRARIES;LABELS;RESOURCE_LOCK"
    )
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "turnstile_add_test(${name}): unknown ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT "slow" IN_LIST arg_LABELS)
        list(APPEND arg_LABELS quick)
    endif()
    list(REMOVE_DUPLICATES arg_LABELS)
    if(TURNSTILE_TEST_LABEL AND NOT TURNSTILE_TEST_LABEL IN_LIST arg_LABELS)
        return()
    endif()

    add_executable(${name} ${arg_SOURCES})
    turnstile_target(${name})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(
        ${name} PRIVATE turnstile_internal ${arg_LIBRARIES} GTest::gmock GTest::gtest_main
    )

    set(properties "")
    if(arg_RUN_SERIAL)
        list(APPEND properties RUN_SERIAL TRUE)
    endif()
    if(arg_PROCESSORS)
        list(APPEND properties PROCESSORS ${arg_PROCESSORS})
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    list(APPEND properties TIMEOUT ${arg_TIMEOUT})
    set(environment ${turnstile_sanitizer_environment})

    if(arg_SINGLE_TEST)
        set(test "${TURNSTILE_TEST_PREFIX}${name}")
        add_test(NAME "${test}" COMMAND ${name})
        set_tests_properties("${test}" PROPERTIES ${properties})
        set_property(TEST "${test}" PROPERTY LABELS ${arg_LABELS})
        set_property(TEST "${test}" PROPERTY RESOURCE_LOCK ${arg_RESOURCE_LOCK})
        set_property(TEST "${test}" PROPERTY ENVIRONMENT ${environment})
    else()
        # gtest_discover_tests hands each value through two scripts: a list needs its escapes.
        string(REPLACE ";" "\\;" labels "${arg_LABELS}")
        list(APPEND properties LABELS "${labels}")
        if(arg_RESOURCE_LOCK)
            string(REPLACE ";" "\\;" locks "${arg_RESOURCE_LOCK}")
            list(APPEND properties RESOURCE_LOCK "${locks}")
        endif()
        if(environment)
            string(REPLACE ";" "\\;" environment "${environment}")
            list(APPEND properties ENVIRONMENT "${environment}")
        endif()
        gtest_discover_tests(
            ${name}
            TEST_PREFIX "${TURNSTILE_TEST_PREFIX}${name}."
            DISCOVERY_MODE PRE_TEST
            DISCOVERY_TIMEOUT 60
            PROPERTIES ${properties}
        )
    endif()
endfunction()

# turnstile_add_script_test(<name> COMMAND <command>... [LABELS <label>...] [PROCESSORS <n>]
#                           [TIMEOUT <seconds>] [ENVIRONMENT <name=value>...])
# A ctest test that runs a program or a script; the same labels.
function(turnstile_add_script_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROCESSORS;TIMEOUT" "COMMAND;LABELS;ENVIRONMENT")
    if(NOT "slow" IN_LIST arg_LABELS)
        list(APPEND arg_LABELS quick)
    endif()
    if(TURNSTILE_TEST_LABEL AND NOT TURNSTILE_TEST_LABEL IN_LIST arg_LABELS)
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    if(NOT arg_PROCESSORS)
        set(arg_PROCESSORS 1)
    endif()
    set(test "${TURNSTILE_TEST_PREFIX}${name}")
    add_test(NAME "${test}" COMMAND ${arg_COMMAND})
    set_tests_properties(
        "${test}" PROPERTIES PROCESSORS ${arg_PROCESSORS} TIMEOUT ${arg_TIMEOUT}
    )
    set_property(TEST "${test}" PROPERTY LABELS ${arg_LABELS})
    set_property(
        TEST "${test}" PROPERTY ENVIRONMENT ${turnstile_sanitizer_environment} ${arg_ENVIRONMENT}
    )
endfunction()
