# SPDX-License-Identifier: Apache-2.0
# Checks three things: the libraries that the core library needs, the libraries that a program loads, and the modules
# that the core library finds. Each case has its libraries in a separate folder below ${scratch}. ctest runs this
# script, and CMakeLists.txt beside this file sets the variables.
cmake_minimum_required(VERSION 3.25)

string(REPLACE "," ";" modules "${modules}")
set(clients "hiredis|libssl|libcrypto|sasl2|sqlite3|libpq|mariadb|libkrb5|libgssapi|libldap|libgnutls")
get_filename_component(core_name "${core}" NAME)
file(REMOVE_RECURSE "${scratch}")

function(fail)
    list(JOIN ARGN "" text)
    message(FATAL_ERROR "${text}")
endfunction()

# needed_by(<out> <library>): puts the names of the library's NEEDED entries into <out>.
function(needed_by out library)
    execute_process(
        COMMAND "${readelf}" -d "${library}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY
    )
    string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*" lines "${dynamic}")
    list(TRANSFORM lines REPLACE ".*\\[(.*)\\].*" "\\1")
    set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# probe(<case> <connect string>): runs the program, and sets `code` to its exit status and `said` to its output. The
# working directory has all modules, and LD_LIBRARY_PATH has the case's folder, followed by a folder with all modules.
function(probe case connect_string)
    execute_process(
        COMMAND "${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${scratch}/${case}:${scratch}/all"
                "${program}" "${connect_string}"
        WORKING_DIRECTORY "${scratch}/all"
        RESULT_VARIABLE code
        OUTPUT_VARIABLE said
        OUTPUT_STRIP_TRAILING_WHITESPACE
    )
    set(code "${code}" PARENT_SCOPE)
    set(said "${said}" PARENT_SCOPE)
endfunction()

# put(<case> <library>...): copies the libraries into the case's folder, under the names that the dynamic linker looks
# for.
function(put case)
    file(COPY ${ARGN} DESTINATION "${scratch}/${case}" FOLLOW_SYMLINK_CHAIN)
endfunction()

put(bare "${core}")
put(all "${core}" ${modules})

# The core library needs few libraries, and no client library of a server other than ZooKeeper.
needed_by(needed "${core}")
list(LENGTH needed count)
message(STATUS "${core_name} needs ${count}: ${needed}")
if(count GREATER 10 OR needed MATCHES "${clients}")
    fail("${core_name} needs ${count} libraries: ${needed}")
endif()
# The testing kit (turnstile::testing) is a separate library. The core library must contain none of the kit's symbols,
# exported or not.
function(expect_no_kit library)
    execute_process(COMMAND "${nm}" --demangle "${library}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    if(symbols MATCHES "turnstile::(testing|simulation|schedule|deterministic|search)::[^\n]*")
        fail("${library} has a part of the testing kit: ${CMAKE_MATCH_0}")
    endif()
endfunction()
expect_no_kit("${core}")
# The core exports only names of the namespace turnstile, with the symbol version of this ABI, and no name of a private
# class.
execute_process(
    COMMAND "${nm}" --dynamic --defined-only --demangle "${core}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY
)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(FILTER symbols EXCLUDE REGEX "^[0-9a-f]+ A TURNSTILE_${soversion}$")
list(LENGTH symbols count)
message(STATUS "${core_name} exports ${count} symbols")
set(leftovers ${symbols})
list(FILTER leftovers EXCLUDE REGEX "^[0-9a-f]+ [TBDRVW] ((typeinfo|typeinfo name|vtable) for )?turnstile::")
set(private ${symbols})
list(FILTER private INCLUDE REGEX
     "^[0-9a-f]+ [A-Za-z] turnstile::([a-z_]+::(state|implementation|inside)::|(core|base|log|guardian|modules)::)"
)
set(other_abi ${symbols})
list(FILTER other_abi EXCLUDE REGEX "@@TURNSTILE_${soversion}$")
if(count LESS 100 OR leftovers OR private OR other_abi)
    list(JOIN leftovers "\n" leftovers)
    list(JOIN private "\n" private)
    list(JOIN other_abi "\n" other_abi)
    fail("${core_name} exports ${count} symbols; no public names:\n${leftovers}\nprivate classes:\n${private}\n"
         "without @@TURNSTILE_${soversion}:\n${other_abi}")
endif()

probe(all "local:tree")
string(REGEX MATCHALL "[^\n]+" loaded "${said}")
list(LENGTH loaded count)
message(STATUS "a program of local: loads ${count}: ${loaded}")
if(NOT code EQUAL 0 OR said MATCHES "${clients}|libturnstile-" OR NOT said MATCHES "zookeeper_mt")
    fail("local: ends with ${code}, and loads ${said}")
endif()

# If a module is absent, the program gets one error message, makes no connection, and shows no password.
foreach(connect_string IN ITEMS "zookeepers://127.0.0.1:1" "redis://u:secret@127.0.0.1:1" "sqlite:/nowhere/locks.db"
                                "postgresql://u:secret@127.0.0.1:1/db" "mysql://u:secret@127.0.0.1:1/db"
)
    string(REGEX MATCH "^[a-z]+" module "${connect_string}")
    string(REPLACE "mysql" "mariadb" module "${module}")
    string(REPLACE "zookeepers" "tls" module "${module}")
    probe(bare "${connect_string}")
    if(NOT code EQUAL 2 OR NOT said MATCHES "bare/libturnstile-${module}\\.so\\.${soversion} does not exist"
       OR NOT said MATCHES "package libturnstile-${module} in version ${version}" OR said MATCHES "secret|\n"
    )
        fail("${connect_string} without its module: ${code}: ${said}")
    endif()
endforeach()

# The library refuses a module of another version. The message has the versions of the module and of the library.
put(other "${core}")
file(COPY "${other_version}" DESTINATION "${scratch}/other")
probe(other "redis://u:secret@127.0.0.1:1")
if(NOT code EQUAL 2 OR NOT said MATCHES "has version 0\\.0\\.7, and this library has version ${version}"
   OR said MATCHES "secret|\n"
)
    fail("a module of another version: ${code}: ${said}")
endif()

# A module exports only its entry function, and needs no client library of another kind of server.
foreach(library IN LISTS modules)
    execute_process(
        COMMAND "${nm}" --dynamic --defined-only "${library}" OUTPUT_VARIABLE symbols
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
    )
    if(NOT symbols MATCHES "^[0-9a-f]+ T turnstile_module_[a-z]+$")
        fail("${library} exports ${symbols}")
    endif()
endforeach()

# The library loads the module that the connect string needs, and no other module.
if(modules MATCHES "turnstile-sqlite")
    probe(all "sqlite:${scratch}/locks.db")
    if(NOT code EQUAL 0 OR NOT said MATCHES "all/libturnstile-sqlite" OR NOT said MATCHES "libsqlite3"
       OR said MATCHES "libpq|mariadb|hiredis|libturnstile-(redis|postgresql|mariadb)"
    )
        fail("sqlite: ends with ${code}, and loads ${said}")
    endif()
endif()
