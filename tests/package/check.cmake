# SPDX-License-Identifier: Apache-2.0
# Installs ${build} below ${scratch}. Then builds and runs the consumer with the installed files alone. ctest runs this
# script, and CMakeLists.txt beside this file sets the variables.
cmake_minimum_required(VERSION 3.25)

function(run)
    list(JOIN ARGN " " line)
    message(STATUS "${line}")
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

string(REPLACE "," ";" module_list "${modules}")
set(prefix "${scratch}/prefix")
set(consumer "${CMAKE_CURRENT_LIST_DIR}/consumer")
file(REMOVE_RECURSE "${scratch}")

run("${CMAKE_COMMAND}" --install "${build}" --prefix "${prefix}")

# The installed libraries must not contain the code that checks the library's own simulations (the judges).
file(GLOB libraries "${prefix}/${libdir}/libturnstile*")
foreach(library IN LISTS libraries)
    file(STRINGS "${library}" judges LIMIT_COUNT 1 REGEX "simulation10invariants|simulation6search")
    if(judges)
        message(FATAL_ERROR "${library} has judges of histories in it: ${judges}")
    endif()
endforeach()

set(ENV{LD_LIBRARY_PATH} "${prefix}/${libdir}")
run("${CMAKE_COMMAND}" -S "${consumer}" -B "${scratch}/by_find_package" -G "${generator}"
    -D "CMAKE_PREFIX_PATH=${prefix}"
    -D "CMAKE_CXX_COMPILER=${compiler}"
    -D "CMAKE_CXX_FLAGS=${flags}"
    -D "modules=${modules}"
)
run("${CMAKE_COMMAND}" --build "${scratch}/by_find_package")
run("${scratch}/by_find_package/use_lock")
run("${scratch}/by_find_package/use_mutex_alone")
run("${scratch}/by_find_package/use_testing")
run("${scratch}/by_find_package/use_modules" ${module_list})
run("${scratch}/by_find_package/hold" ${module_list})
if(NOT flags MATCHES "-fsanitize")
    run("${scratch}/by_find_package/use_deterministic")
endif()
# This prefix differs from the prefix that the build was configured for. A shared library finds the guardian in its own
# prefix. A static library finds the guardian in the prefix of its program.
if(EXISTS "${prefix}/libexec/turnstile/turnstile-guardian")
    file(GLOB shared "${prefix}/${libdir}/libturnstile.so")
    if(shared)
        run("${scratch}/by_find_package/use_guardian")
    endif()
    file(COPY "${scratch}/by_find_package/use_guardian" DESTINATION "${prefix}/bin")
    run("${prefix}/bin/use_guardian")
endif()
# The error about an unknown component must name the component.
file(WRITE "${scratch}/unknown/CMakeLists.txt"
    "cmake_minimum_required(VERSION 3.25)\n"
    "project(unknown LANGUAGES NONE)\n"
    "find_package(turnstile REQUIRED COMPONENTS nonsense)\n"
)
execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${scratch}/unknown" -B "${scratch}/unknown/build" -G "${generator}"
            -D "CMAKE_PREFIX_PATH=${prefix}"
    RESULT_VARIABLE refused
    OUTPUT_QUIET
    ERROR_VARIABLE reason
)
if(refused EQUAL 0 OR NOT reason MATCHES "there is no component \"nonsense\"")
    message(FATAL_ERROR "a component that there is not: ${refused}: ${reason}")
endif()

if(EXISTS "${prefix}/bin/turnstile")
    execute_process(
        COMMAND "${CMAKE_COMMAND}" -E env --unset=LD_LIBRARY_PATH "${prefix}/bin/turnstile" --version
        OUTPUT_VARIABLE told COMMAND_ERROR_IS_FATAL ANY
    )
    list(JOIN module_list ", " back_ends)
    if(NOT told MATCHES "back ends: zookeeper, local, ${back_ends}")
        message(FATAL_ERROR "turnstile --version: ${told}")
    endif()
endif()

set(ENV{PKG_CONFIG_PATH} "${prefix}/${libdir}/pkgconfig")
separate_arguments(flags UNIX_COMMAND "${flags}")

function(run_by_pkg_config program package)
    execute_process(
        COMMAND "${pkg_config}" --cflags --libs "${package}" ${ARGN}
        OUTPUT_VARIABLE options
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
    )
    if(options MATCHES "SPDLOG")
        message(FATAL_ERROR "${package}: the options of another library leak: ${options}")
    endif()
    separate_arguments(options UNIX_COMMAND "${options}")
    # The headers must cause no warning under the options that most projects use.
    run("${compiler}" -std=c++20 -Wall -Wextra -Werror ${flags} "${consumer}/${program}.cpp" -o "${scratch}/${program}"
        ${options}
    )
    run("${scratch}/${program}" ${arguments})
endfunction()

run_by_pkg_config(use_lock turnstile)
run_by_pkg_config(use_testing turnstile-testing)
set(packages "")
foreach(module IN LISTS module_list)
    list(APPEND packages turnstile-${module})
endforeach()
set(arguments ${module_list})
run_by_pkg_config(use_modules ${packages} turnstile)
set(arguments "")
if(NOT flags MATCHES "-fsanitize")
    run_by_pkg_config(use_deterministic turnstile-deterministic)
endif()
