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

# The static clients of vcpkg and Conan have another name than libmariadb, and need further libraries. The CMake config
# file of each client names these libraries. A build that finds one of the config files uses the client of that file,
# even if the system has libmariadb.
set(_mariadb_folders "")
if(NOT MariaDB_LIBRARY)
    find_package(unofficial-libmariadb CONFIG QUIET)
    find_package(mariadb-connector-c CONFIG QUIET)
    foreach(_mariadb_target unofficial::libmariadb mariadb-connector-c::mariadb-connector-c)
        if(NOT MariaDB_LIBRARY AND TARGET ${_mariadb_target})
            set(MariaDB_LIBRARY ${_mariadb_target})
            get_target_property(_mariadb_folders ${_mariadb_target} INTERFACE_INCLUDE_DIRECTORIES)
        endif()
    endforeach()
endif()
# MySQL's client also has a mysql.h. Only MariaDB's client has mariadb_version.h.
find_path(
    MariaDB_INCLUDE_DIR
    NAMES mariadb_version.h
    HINTS ${_mariadb_folders} ${mariadb-connector-c_INCLUDE_DIRS}
    PATH_SUFFIXES mariadb mysql
)
if(NOT MariaDB_LIBRARY)
    find_library(MariaDB_LIBRARY NAMES mariadb PATH_SUFFIXES mariadb)
endif()
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

if(MariaDB_FOUND AND TARGET "${MariaDB_LIBRARY}" AND NOT TARGET MariaDB::mariadb)
    add_library(MariaDB::mariadb INTERFACE IMPORTED)
    set_target_properties(
        MariaDB::mariadb PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${MariaDB_INCLUDE_DIR}"
                                    INTERFACE_LINK_LIBRARIES "${MariaDB_LIBRARY}"
    )
endif()
if(MariaDB_FOUND AND NOT TARGET MariaDB::mariadb)
    add_library(MariaDB::mariadb UNKNOWN IMPORTED)
    set_target_properties(
        MariaDB::mariadb
        PROPERTIES IMPORTED_LOCATION "${MariaDB_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                          "${MariaDB_INCLUDE_DIR}"
    )
endif()
