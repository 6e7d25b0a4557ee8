# SPDX-License-Identifier: Apache-2.0
#[=======================================================================[.rst:
FindHiredis
-----------

Finds hiredis, Redis's C client, for which Debian 12 installs no config file.
turnstileConfig.cmake needs this module too, so the module is installed beside that file.

Imported target: ``Hiredis::hiredis``.
Result variables: ``Hiredis_FOUND``, ``Hiredis_VERSION``.
Cache variables: ``Hiredis_INCLUDE_DIR``, ``Hiredis_LIBRARY``.
#]=======================================================================]
include(FindPackageHandleStandardArgs)

find_path(Hiredis_INCLUDE_DIR NAMES hiredis/hiredis.h)
find_library(Hiredis_LIBRARY NAMES hiredis)
mark_as_advanced(Hiredis_INCLUDE_DIR Hiredis_LIBRARY)

set(Hiredis_VERSION "")
set(_hiredis_header "${Hiredis_INCLUDE_DIR}/hiredis/hiredis.h")
if(EXISTS "${_hiredis_header}")
    foreach(_hiredis_part MAJOR MINOR PATCH)
        file(STRINGS "${_hiredis_header}" _hiredis_line REGEX "define HIREDIS_${_hiredis_part} ")
        if(_hiredis_line MATCHES "([0-9]+)$")
            list(APPEND Hiredis_VERSION "${CMAKE_MATCH_1}")
        endif()
    endforeach()
    list(JOIN Hiredis_VERSION "." Hiredis_VERSION)
endif()

find_package_handle_standard_args(
    Hiredis
    REQUIRED_VARS Hiredis_LIBRARY Hiredis_INCLUDE_DIR
    VERSION_VAR Hiredis_VERSION
)

if(Hiredis_FOUND AND NOT TARGET Hiredis::hiredis)
    add_library(Hiredis::hiredis UNKNOWN IMPORTED)
    set_target_properties(
        Hiredis::hiredis
        PROPERTIES IMPORTED_LOCATION "${Hiredis_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                          "${Hiredis_INCLUDE_DIR}"
    )
endif()
