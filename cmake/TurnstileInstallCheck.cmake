# SPDX-License-Identifier: Apache-2.0
# The first install rule. If only one target was built in the build folder (as by scripts/demo), this rule fails before
# anything is installed. The message names the command that builds the rest.
set(turnstile_installed turnstile turnstile_guardian turnstile_session_end)
if(TURNSTILE_BUILD_TESTING)
    list(APPEND turnstile_installed turnstile_testing)
endif()
if(TURNSTILE_BUILD_CLI)
    list(APPEND turnstile_installed turnstile_program)
endif()
foreach(module tls redis sqlite postgresql mariadb)
    string(TOUPPER ${module} switch)
    if(TURNSTILE_WITH_${switch})
        list(APPEND turnstile_installed turnstile_${module})
    endif()
endforeach()
set(turnstile_installed_files "")
foreach(target IN LISTS turnstile_installed)
    string(APPEND turnstile_installed_files " [==[$<TARGET_FILE:${target}>]==]")
endforeach()
# During the build the command `turnstile` prints its manual pages and completions. If the file turnstile.fish exists,
# the build has made all of them.
if(TURNSTILE_BUILD_CLI AND NOT CMAKE_CROSSCOMPILING)
    string(APPEND turnstile_installed_files " [==[${PROJECT_BINARY_DIR}/src/cli/printed/turnstile.fish]==]")
endif()
install(
    CODE "
        foreach(file IN ITEMS ${turnstile_installed_files})
            if(NOT EXISTS \"\${file}\")
                message(FATAL_ERROR \"\${file} has not been built. Nothing was installed. Build all first: \"
                                    \"cmake --build ${CMAKE_BINARY_DIR}\")
            endif()
        endforeach()
    "
)
