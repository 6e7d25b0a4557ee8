# SPDX-License-Identifier: Apache-2.0
# turnstile_target(<target>): what every target of this project is built with. It sets options of the
# target alone, so that a project that embeds Turnstile keeps its own warnings.
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
            # False alarms of GCC 12 on string concatenation (GCC bug 105651).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            # And on variants whose alternatives own memory, when it optimizes or instruments.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
            $<$<CXX_COMPILER_ID:GNU>:-Wno-missing-field-initializers>
            $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-field-initializers>
            $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
    )
endfunction()
