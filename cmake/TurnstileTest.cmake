# SPDX-License-Identifier: Apache-2.0
# turnstile_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...]
#                    [SINGLE_TEST | SUITES <test>[=<suite>[,<suite>]...]...]
#                    [PROCESSORS <n>] [RESOURCE_LOCK <name>...] [TIMEOUT <seconds>] [COST <seconds>])
#
# Makes an executable of GoogleTest cases. It is linked with turnstile_internal, so that the cases can use the internals
# and turnstile::testing. Each case becomes a ctest test named <name>.<suite>.<case>. With SINGLE_TEST the whole
# executable is one ctest test, because its cases share something costly (a server). COST is the duration of such a
# test, roughly, in seconds. ctest begins with the longest tests, so that no long test begins at the end.
#
# With SUITES the cases of one executable form several ctest tests, because compiling and linking cost more than a small
# test does. Each test integration_<test> runs the suites whose names begin with <suite>, or with <test> if <suite> is
# missing. The test <name>_suites fails if a case is in none of these tests.
#
# Labels:  slow      scripts/test --quick leaves the test out; every other test gets the label quick
#          server    the test needs ZooKeeper's jars and Java
#          sanitize  the test also runs under the sanitizers
# TURNSTILE_TEST_LABEL limits a build to the tests with one label. TURNSTILE_TEST_PREFIX gives the tests of each build
# tree different names.
set(TURNSTILE_TEST_LABEL "" CACHE STRING "Build only the tests that carry this label")
set(TURNSTILE_TEST_PREFIX "" CACHE STRING "Prefix of the tests' names")

include(GoogleTest)

# All test programs share precompiled headers, because GoogleTest's headers and the library's headers take seconds to
# read. CMake requires that the sharing targets have the same flags, so this target is a program too.
file(CONFIGURE OUTPUT empty.cpp CONTENT "")
add_executable(turnstile_test_headers EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
turnstile_target(turnstile_test_headers)
target_link_libraries(
    turnstile_test_headers PRIVATE turnstile_internal GTest::gmock GTest::gtest_main
)
target_precompile_headers(
    turnstile_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <future> <thread> <turnstile/turnstile.hpp>
    <turnstile/testing/ensemble.hpp> <turnstile/testing/event.hpp>
)
target_compile_options(
    turnstile_test_headers PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
)

# Definitions for sources that include Asio. With -fsanitize=thread, g++ refuses memory fences, because ThreadSanitizer
# does not support them. So the definitions disable Asio's fences. Asio's locks make these fences unnecessary.
set(turnstile_asio_definitions "")
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
    set(turnstile_asio_definitions ASIO_DISABLE_FENCED_BLOCK BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()

# Sets the options with which the tests' sources are built.
function(turnstile_test_target name)
    turnstile_target(${name})
    target_precompile_headers(${name} REUSE_FROM turnstile_test_headers)
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(${name} PRIVATE turnstile_internal GTest::gmock)
endfunction()

# turnstile_test_sources(<name> <source>...) compiles sources of several test programs once. A program gets them by
# LIBRARIES <name>.
function(turnstile_test_sources name)
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
    turnstile_test_target(${name})
    # The precompiled headers were compiled with a program's flags, so these objects need a program's flags too.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
endfunction()

function(turnstile_add_test name)
    cmake_parse_arguments(
        PARSE_ARGV 1 arg "SINGLE_TEST" "PROCESSORS;TIMEOUT;COST"
        "SOURCES;LIBRARIES;LABELS;RESOURCE_LOCK;SUITES"
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
    turnstile_test_target(${name})
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
    turnstile_unity(${name})

    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 900)
    endif()
    if(NOT arg_PROCESSORS)
        set(arg_PROCESSORS 1)
    endif()

    set(properties
        LABELS ${arg_LABELS}
        PROCESSORS ${arg_PROCESSORS}
        RESOURCE_LOCK ${arg_RESOURCE_LOCK}
        TIMEOUT ${arg_TIMEOUT}
    )
    if(arg_COST)
        list(APPEND properties COST ${arg_COST})
    endif()
    if(arg_SINGLE_TEST)
        turnstile_add_command_test(${name} COMMAND ${name} ${properties})
        return()
    endif()
    if(arg_SUITES)
        set(others "")
        foreach(part IN LISTS arg_SUITES)
            string(REGEX MATCH "^([^=]+)=?(.*)$" part "${part}")
            set(test "${CMAKE_MATCH_1}")
            string(REPLACE "," ";" suites "${CMAKE_MATCH_2}")
            if(NOT suites)
                set(suites "${test}")
            endif()
            set(cases "")
            foreach(suite IN LISTS suites)
                string(APPEND cases "${suite}*:*/${suite}*:")
            endforeach()
            string(APPEND others "${cases}")
            turnstile_add_command_test(
                integration_${test} COMMAND ${name} "--gtest_filter=${cases}" ${properties}
            )
        endforeach()
        turnstile_add_command_test(
            ${name}_suites
            COMMAND ${name} --gtest_list_tests "--gtest_filter=-${others}"
            LABELS ${arg_LABELS}
        )
        set_property(
            TEST "${TURNSTILE_TEST_PREFIX}${name}_suites" PROPERTY FAIL_REGULAR_EXPRESSION "  [a-z_]"
        )
        return()
    endif()

    gtest_discover_tests(
        ${name}
        TEST_PREFIX "${TURNSTILE_TEST_PREFIX}${name}."
        TEST_LIST ${name}_tests
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 60
    )
    # gtest_discover_tests splits properties that are lists. So ctest sets the properties by this file, after it has
    # found the cases.
    file(
        CONFIGURE OUTPUT ${name}_properties.cmake @ONLY
        CONTENT [[
set_tests_properties(
    ${@name@_tests}
    PROPERTIES
        LABELS "@arg_LABELS@"
        PROCESSORS @arg_PROCESSORS@
        RESOURCE_LOCK "@arg_RESOURCE_LOCK@"
        TIMEOUT @arg_TIMEOUT@
        ENVIRONMENT "@turnstile_sanitizer_environment@"
)
]]
    )
    set_property(
        DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES
                                  "${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake"
    )
endfunction()

# turnstile_add_command_test(<name> COMMAND <command>... [LABELS <label>...] [PROCESSORS <n>]
#                            [RESOURCE_LOCK <name>...] [TIMEOUT <seconds>]
#                            [COST <seconds>] [ENVIRONMENT <name=value>...])
# Makes a ctest test that runs a program or a script. The labels are the labels of turnstile_add_test().
function(turnstile_add_command_test name)
    cmake_parse_arguments(
        PARSE_ARGV 1 arg "" "PROCESSORS;TIMEOUT;COST"
        "COMMAND;LABELS;RESOURCE_LOCK;ENVIRONMENT"
    )
    if(NOT "slow" IN_LIST arg_LABELS)
        list(APPEND arg_LABELS quick)
    endif()
    list(REMOVE_DUPLICATES arg_LABELS)
    if(TURNSTILE_TEST_LABEL AND NOT TURNSTILE_TEST_LABEL IN_LIST arg_LABELS)
        return()
    endif()
    if(NOT arg_PROCESSORS)
        set(arg_PROCESSORS 1)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 900)
    endif()
    # Before its first run, ctest does not know how long the tests take. These costs let the tests that wait for servers
    # begin before the many small tests. Tests that need two processors begin first, because late in the run two are
    # rarely free.
    if(NOT arg_COST)
        set(arg_COST 0)
        if(arg_PROCESSORS GREATER 1)
            set(arg_COST 40)
        elseif("server" IN_LIST arg_LABELS)
            set(arg_COST 20)
        endif()
    endif()

    set(test "${TURNSTILE_TEST_PREFIX}${name}")
    list(APPEND arg_ENVIRONMENT ${turnstile_sanitizer_environment})
    add_test(NAME "${test}" COMMAND ${arg_COMMAND})
    foreach(property LABELS PROCESSORS RESOURCE_LOCK TIMEOUT COST ENVIRONMENT)
        set_property(TEST "${test}" PROPERTY ${property} ${arg_${property}})
    endforeach()
endfunction()
