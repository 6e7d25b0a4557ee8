# SPDX-License-Identifier: Apache-2.0
# Builds the project zookeeper_alone, which contains the sources of Turnstile, below ${scratch}, and runs its programs.
# ctest runs this script, and CMakeLists.txt beside this file sets the variables.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${scratch}")
execute_process(
    COMMAND
        "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/zookeeper_alone" -B "${scratch}" -G "${generator}"
        -D "CMAKE_CXX_COMPILER=${compiler}"
        -D "turnstile=${source}"
    COMMAND_ERROR_IS_FATAL ANY
)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${scratch}" COMMAND_ERROR_IS_FATAL ANY)
# By default a project that contains Turnstile's sources builds only the library.
file(GLOB_RECURSE programs "${scratch}/turnstile/turnstile" "${scratch}/turnstile/turnstile-guardian"
     "${scratch}/turnstile/*.a" "${scratch}/turnstile/*.so"
)
list(FILTER programs EXCLUDE REGEX "/libturnstile(-sql|-sqlite)?\\.a$")
if(programs)
    message(FATAL_ERROR "built beside the library: ${programs}")
endif()
foreach(program zookeeper_alone sqlite_linked_in)
    execute_process(COMMAND "${scratch}/${program}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
