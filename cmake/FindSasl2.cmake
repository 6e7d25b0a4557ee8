# SPDX-License-Identifier: Apache-2.0
#[=======================================================================[.rst:
FindSasl2
---------

Finds Cyrus SASL, which installs no config file.
turnstileConfig.cmake needs this module too, so the module is installed beside that file.

Imported target: ``Sasl2::sasl2``.
Result variable: ``Sasl2_FOUND``.
Cache variables: ``Sasl2_INCLUDE_DIR``, ``Sasl2_LIBRARY``.
#]=======================================================================]
include(FindPackageHandleStandardArgs)

find_path(Sasl2_INCLUDE_DIR NAMES sasl/sasl.h)
find_library(Sasl2_LIBRARY NAMES sasl2)
mark_as_advanced(Sasl2_INCLUDE_DIR Sasl2_LIBRARY)
find_package_handle_standard_args(Sasl2 REQUIRED_VARS Sasl2_LIBRARY Sasl2_INCLUDE_DIR)

if(Sasl2_FOUND AND NOT TARGET Sasl2::sasl2)
    add_library(Sasl2::sasl2 UNKNOWN IMPORTED)
    set_target_properties(
        Sasl2::sasl2 PROPERTIES IMPORTED_LOCATION "${Sasl2_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                     "${Sasl2_INCLUDE_DIR}"
    )
endif()
