# SPDX-License-Identifier: Apache-2.0
# turnstile_gather_hot_functions(<static library> <object set>...): the functions that src/hot_functions.txt names stand
# beside each other in what is linked with the library. A thread that wakes for an answer finds cold caches. Its way goes
# through 300 small functions, which else are spread over 120 pages of code, and each page is a miss of the processor's
# table of pages.
#
# A linker gathers the sections whose names begin with .text.hot: GNU ld and gold do, others ignore the names. Each
# function is compiled into a section of its own, and objcopy gives those of the list that name. scripts/hot-functions
# makes the list.
function(turnstile_gather_hot_functions library)
    if(BUILD_SHARED_LIBS OR NOT CMAKE_OBJCOPY
       OR NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$"
    )
        return()
    endif()
    # Objects for link-time optimization have no such sections, and objcopy refuses them.
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    if(CMAKE_INTERPROCEDURAL_OPTIMIZATION OR CMAKE_INTERPROCEDURAL_OPTIMIZATION_${type}
       OR "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" MATCHES "-flto"
    )
        return()
    endif()
    set(list "${PROJECT_SOURCE_DIR}/src/hot_functions.txt")
    file(STRINGS "${list}" names REGEX "^[^#]")
    list(TRANSFORM names REPLACE "(.+)" "--rename-section .text.\\1=.text.hot.\\1\n")
    list(JOIN names "" options)
    # Another list is another command, so that the library is made again.
    string(MD5 hash "${options}")
    set(renamings "${CMAKE_CURRENT_BINARY_DIR}/hot_functions.${hash}.options")
    file(CONFIGURE OUTPUT "${renamings}" CONTENT "${options}" @ONLY)
    foreach(objects IN LISTS ARGN)
        target_compile_options(${objects} PRIVATE -ffunction-sections)
    endforeach()
    add_custom_command(
        TARGET ${library} POST_BUILD
        COMMAND "${CMAKE_OBJCOPY}" "@${renamings}" "$<TARGET_FILE:${library}>"
        VERBATIM
    )
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
endfunction()
