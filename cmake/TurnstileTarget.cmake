# SPDX-License-Identifier: Apache-2.0
# turnstile_target(<target>) sets the options with which every target of this project is built. It sets them only for
# the target, so that a project that embeds Turnstile keeps its own warnings.
function(turnstile_target target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(
        ${target}
        PROPERTIES
            CXX_EXTENSIONS OFF
            CXX_VISIBILITY_PRESET hidden
            VISIBILITY_INLINES_HIDDEN ON
            POSITION_INDEPENDENT_CODE ON
    )
    if(NOT TURNSTILE_INTERRUPTION)
        target_compile_definitions(${target} PRIVATE TURNSTILE_NO_INTERRUPTION)
    endif()
    target_compile_options(
        ${target}
        PRIVATE
            -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wcast-align
            -Wcast-qual
            -Wextra-semi
            -Wformat=2
            -Wimplicit-fallthrough
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Woverloaded-virtual
            -Wundef
            -Wunused
            $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-branches>
            $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
            $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
            # GCC 12 gives false alarms on string concatenation (GCC bug 105651).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            # GCC 12 also gives false alarms on variants whose alternatives own memory, when it optimizes or
            # instruments.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
            $<$<CXX_COMPILER_ID:GNU>:-Wno-missing-field-initializers>
            $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-field-initializers>
            $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
    )
endfunction()

# turnstile_unity(<target>): with TURNSTILE_UNITY_BUILD the compiler compiles up to sixteen sources of one folder
# together, so that it reads their common headers once. Call this in the target's directory, after the target has all of
# its sources.
function(turnstile_unity target)
    if(NOT TURNSTILE_UNITY_BUILD)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        cmake_path(GET source PARENT_PATH folder)
        string(MAKE_C_IDENTIFIER "in_${folder}" group)
        math(EXPR count_${group} "0${count_${group}} + 1")
        math(EXPR part "(${count_${group}} - 1) / 16")
        set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}_${part}")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # In a unity build GCC takes included sources for headers, and would warn about types that use an unnamed namespace.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    # With this option GCC begins to free unused parts of its heap (garbage collection) at 1 GiB, and not at 128 MiB.
    # The value is in KiB. This saves a tenth of GCC's time.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
endfunction()

# turnstile_object_set(<name> [<folder>...]) makes an object library. Its sources can include the internal headers of
# src/, and headers in the folders. All object libraries use the precompiled headers of turnstile_model_objects.
function(turnstile_object_set name)
    file(CONFIGURE OUTPUT empty.cpp CONTENT "")
    add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
    turnstile_target(${name})
    target_include_directories(${name} PRIVATE ${turnstile_internal_includes} ${ARGN})
    target_link_libraries(${name} PRIVATE ${turnstile_dependencies})
    if(NOT BUILD_SHARED_LIBS)
        target_compile_definitions(${name} PRIVATE TURNSTILE_STATIC_DEFINE)
    endif()
    if(NOT name STREQUAL turnstile_model_objects)
        target_precompile_headers(${name} REUSE_FROM turnstile_model_objects)
    endif()
    # ccache needs this option for sources that use a precompiled header.
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
