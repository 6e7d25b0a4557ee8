# SPDX-License-Identifier: Apache-2.0
#[=======================================================================[.rst:
FindMariaDB
-----------

Finds libmariadb (MariaDB Connector/C), for which Debian 12 installs no config file.
turnstileConfig.cmake needs this module too, so the module is installed beside that file.

Imported target: ``MariaDB::mariadb``.
Result variables: ``MariaDB_FOUND``, ``MariaDB_VERSION`` (the connector's, not a server's).
Cache variables: ``MariaDB_INCLUDE_DIR``, ``MariaDB_LIBRARY``.
#]=======================================================================]
include(FindPackageHandleStandardArgs)

# MySQL's client also has a mysql.h. Only MariaDB's client has mariadb_version.h.
find_path(MariaDB_INCLUDE_DIR NAMES mariadb_version.h PATH_SUFFIXES mariadb mysql)
find_library(MariaDB_LIBRARY NAMES mariadb PATH_SUFFIXES mariadb)
mark_as_advanced(MariaDB_INCLUDE_DIR MariaDB_LIBRARY)

set(MariaDB_VERSION "")
set(_mariadb_header "${MariaDB_INCLUDE_DIR}/mariadb_version.h")
if(EXISTS "${_mariadb_header}")
    file(STRINGS "${_mariadb_header}" _mariadb_line REGEX "define MARIADB_PACKAGE_VERSION ")
    if(_mariadb_line MATCHES "\"([0-9.]+)\"")
        set(MariaDB_VERSION "${CMAKE_MATCH_1}")
    endif()
endif()

find_package_handle_standard_args(
    MariaDB
    REQUIRED_VARS MariaDB_LIBRARY MariaDB_INCLUDE_DIR
    VERSION_VAR MariaDB_VERSION
)

if(MariaDB_FOUND AND NOT TARGET MariaDB::mariadb)
    add_library(MariaDB::mariadb UNKNOWN IMPORTED)
    set_target_properties(
        MariaDB::mariadb
        PROPERTIES IMPORTED_LOCATION "${MariaDB_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                          "${MariaDB_INCLUDE_DIR}"
    )
endif()
