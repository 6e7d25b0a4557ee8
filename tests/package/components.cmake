# SPDX-License-Identifier: Apache-2.0
# Installs ${build} as a whole, and each component separately, below ${scratch}. Each file of the whole must be in
# exactly one component. The port for vcpkg must have the project's version and dependencies. ctest runs this script,
# and CMakeLists.txt beside this file sets the variables.
cmake_minimum_required(VERSION 3.25)

string(REPLACE "," ";" modules "${modules}")
file(REMOVE_RECURSE "${scratch}")

# files_of(<out> <folder> <argument of cmake --install>...): installs into the folder and lists the files in <out>.
function(files_of out folder)
    execute_process(
        COMMAND "${CMAKE_COMMAND}" --install "${build}" --prefix "${scratch}/${folder}" ${ARGN}
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY
    )
    file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE "${scratch}/${folder}" "${scratch}/${folder}/*")
    list(LENGTH files count)
    message(STATUS "${folder}: ${count} files")
    set(${out} "${files}" PARENT_SCOPE)
endfunction()

files_of(whole whole)
set(errors "")
set(seen "")
foreach(component IN ITEMS runtime ${modules} development testing command documentation)
    files_of(files ${component} --component ${component})
    foreach(file IN LISTS files)
        if(file IN_LIST seen)
            string(APPEND errors "${file} is in ${component} and in another component\n")
        endif()
    endforeach()
    list(APPEND seen ${files})
    set(files_of_${component} "${files}")
endforeach()
foreach(file IN LISTS whole)
    if(NOT file IN_LIST seen)
        string(APPEND errors "${file} is in no component\n")
    endif()
endforeach()

# expect(<component> <regular expression> <file>...): checks that each file of the component matches the expression, and
# that the component has the named files.
function(expect component pattern)
    set(others ${files_of_${component}})
    list(FILTER others EXCLUDE REGEX "${pattern}")
    if(others)
        string(APPEND errors "${component} has ${others}\n")
    endif()
    foreach(file IN LISTS ARGN)
        if(NOT file IN_LIST files_of_${component})
            string(APPEND errors "${component} is without ${file}\n")
        endif()
    endforeach()
    set(errors "${errors}" PARENT_SCOPE)
endfunction()

if(shared)
    expect(runtime "^${libdir}/libturnstile\\.so\\.[0-9.]+$")
    foreach(module IN LISTS modules)
        set(schemas "${module}")
        if(module STREQUAL mariadb)
            set(schemas "mariadb|mysql")
        endif()
        expect(${module} "^(${libdir}/libturnstile-${module}\\.so\\.[0-9.]+|share/turnstile/(${schemas})\\.sql)$")
    endforeach()
    expect(development "^(include/|${libdir}/(cmake|pkgconfig)/|${libdir}/libturnstile[a-z-]*\\.so$)"
           include/turnstile/turnstile.hpp ${libdir}/libturnstile.so ${libdir}/pkgconfig/turnstile.pc)
endif()
expect(testing "^(include/turnstile/testing/|${libdir}/(cmake|pkgconfig)/|${libdir}/libturnstile_[a-z]+\\.a$)"
       include/turnstile/testing/ensemble.hpp)
expect(command "^(bin|libexec|share/(man|bash-completion|zsh|fish)|lib/systemd)/" bin/turnstile
       libexec/turnstile/turnstile-guardian libexec/turnstile/turnstile-session-end share/man/man1/turnstile-run.1 lib/systemd/system/turnstile-serve.service)
expect(documentation "^share/doc/" share/doc/turnstile/README.md share/doc/turnstile/LICENSE
       share/doc/turnstile/docs/guarantees.md)
# The port for vcpkg must name the project's version.
file(READ "${port}" port)
string(JSON port_version GET "${port}" version)
if(NOT port_version STREQUAL version)
    string(APPEND errors "vcpkg.json is of version ${port_version}, the project of ${version}\n")
endif()
# vcpkg has a port for each library of Boost. Turnstile's port must name each library whose headers Turnstile includes.
# The port leaves out the command and the admin page, and a user of boost_asio.hpp has Boost.Asio already.
file(GLOB_RECURSE sources "${source}/include/*.hpp" "${source}/src/*.[ch]pp" "${source}/testing/*.[ch]pp")
list(FILTER sources EXCLUDE REGEX "/src/(cli|admin)/|/boost_asio\\.hpp$")
set(boost_libraries "")
foreach(file IN LISTS sources)
    file(STRINGS "${file}" includes REGEX "^#include <boost/")
    list(TRANSFORM includes REPLACE "^#include <boost/([a-z_]+).*" "\\1")
    list(APPEND boost_libraries ${includes})
endforeach()
list(REMOVE_DUPLICATES boost_libraries)
list(TRANSFORM boost_libraries REPLACE "_" "-")
message(STATUS "libraries of Boost: ${boost_libraries}")
foreach(library IN LISTS boost_libraries)
    if(NOT port MATCHES "\"boost-${library}\"")
        string(APPEND errors "vcpkg.json does not depend on boost-${library}\n")
    endif()
endforeach()
if(errors)
    message(FATAL_ERROR "${errors}")
endif()
