# SPDX-License-Identifier: Apache-2.0
# Configures a build below ${scratch}, builds nothing, and installs it. ctest runs this script, and CMakeLists.txt
# beside this file sets the variables.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${scratch}")
set(parts "")
foreach(part IN ITEMS TESTS EXAMPLES DEMO BENCH CLI)
    list(APPEND parts -D "TURNSTILE_BUILD_${part}=OFF")
endforeach()
execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${source}" -B "${scratch}/build" -G "${generator}"
            -D "CMAKE_CXX_COMPILER=${compiler}" ${parts}
    COMMAND_ERROR_IS_FATAL ANY
)
execute_process(
    COMMAND "${CMAKE_COMMAND}" --install "${scratch}/build" --prefix "${scratch}/prefix"
    RESULT_VARIABLE code
    ERROR_VARIABLE said
)
string(REGEX REPLACE "[ \n]+" " " said "${said}")
if(code EQUAL 0 OR NOT said MATCHES "has not been built.*cmake --build ${scratch}/build")
    message(FATAL_ERROR "exit code ${code}: ${said}")
endif()
if(EXISTS "${scratch}/prefix")
    message(FATAL_ERROR "a part was installed")
endif()
