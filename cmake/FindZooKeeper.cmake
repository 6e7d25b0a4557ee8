# SPDX-License-Identifier: Apache-2.0
#[=======================================================================[.rst:
FindZooKeeper
-------------

Finds the multi-threaded ZooKeeper C client, for which neither Debian nor the upstream build installs a
config file or a ``.pc`` file.
turnstileConfig.cmake needs this module too, so the module is installed beside that file.

Imported target: ``ZooKeeper::zookeeper_mt``.
Result variables: ``ZooKeeper_FOUND``, ``ZooKeeper_VERSION``.
Cache variables: ``ZooKeeper_INCLUDE_DIR``, ``ZooKeeper_LIBRARY``.
#]=======================================================================]
include(FindPackageHandleStandardArgs)

# The clients of vcpkg and Conan are archives with other names than libzookeeper_mt, and have CMake config files. A
# build that finds one of the config files uses the client of that file, even if the system has libzookeeper_mt.
if(NOT ZooKeeper_LIBRARY)
    find_package(unofficial-zookeeper CONFIG QUIET)
    find_package(zookeeper-client-c CONFIG QUIET)
    foreach(_zookeeper_target unofficial::zookeeper::zookeeper zookeeper-client-c::zookeeper-client-c)
        if(NOT ZooKeeper_LIBRARY AND TARGET ${_zookeeper_target})
            set(ZooKeeper_LIBRARY ${_zookeeper_target})
            get_target_property(_zookeeper_folders ${_zookeeper_target} INTERFACE_INCLUDE_DIRECTORIES)
            find_path(
                ZooKeeper_INCLUDE_DIR
                NAMES zookeeper/zookeeper.h zookeeper.h
                HINTS ${_zookeeper_folders} ${zookeeper-client-c_INCLUDE_DIRS} ${CMAKE_INCLUDE_PATH}
                NO_DEFAULT_PATH
            )
        endif()
    endforeach()
endif()
find_path(ZooKeeper_INCLUDE_DIR NAMES zookeeper/zookeeper.h)
if(NOT ZooKeeper_LIBRARY)
    find_library(ZooKeeper_LIBRARY NAMES zookeeper_mt)
endif()
mark_as_advanced(ZooKeeper_INCLUDE_DIR ZooKeeper_LIBRARY)

# Turnstile includes <zookeeper/zookeeper.h>. Conan's package has no folder "zookeeper" for its zookeeper.h.
set(_zookeeper_include "${ZooKeeper_INCLUDE_DIR}")
if(EXISTS "${ZooKeeper_INCLUDE_DIR}/zookeeper.h")
    set(_zookeeper_include "${CMAKE_BINARY_DIR}/zookeeper-headers")
    file(MAKE_DIRECTORY "${_zookeeper_include}")
    file(CREATE_LINK "${ZooKeeper_INCLUDE_DIR}" "${_zookeeper_include}/zookeeper" SYMBOLIC)
endif()

set(ZooKeeper_VERSION "")
set(_zookeeper_version_header "${_zookeeper_include}/zookeeper/zookeeper_version.h")
if(EXISTS "${_zookeeper_version_header}")
    file(STRINGS "${_zookeeper_version_header}" _zookeeper_version REGEX "define ZOO_VERSION ")
    if(_zookeeper_version MATCHES "\"([0-9.]+)")
        set(ZooKeeper_VERSION "${CMAKE_MATCH_1}")
    endif()
endif()

find_package_handle_standard_args(
    ZooKeeper
    REQUIRED_VARS ZooKeeper_LIBRARY ZooKeeper_INCLUDE_DIR
    VERSION_VAR ZooKeeper_VERSION
)

if(ZooKeeper_FOUND AND TARGET "${ZooKeeper_LIBRARY}" AND NOT TARGET ZooKeeper::zookeeper_mt)
    add_library(ZooKeeper::zookeeper_mt INTERFACE IMPORTED)
    set_target_properties(
        ZooKeeper::zookeeper_mt
        PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${_zookeeper_include}"
            INTERFACE_LINK_LIBRARIES "${ZooKeeper_LIBRARY}"
            INTERFACE_COMPILE_DEFINITIONS THREADED
    )
endif()
if(ZooKeeper_FOUND AND NOT TARGET ZooKeeper::zookeeper_mt)
    find_package(Threads QUIET)
    add_library(ZooKeeper::zookeeper_mt UNKNOWN IMPORTED)
    set_target_properties(
        ZooKeeper::zookeeper_mt
        PROPERTIES
            IMPORTED_LOCATION "${ZooKeeper_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${_zookeeper_include}"
            # zookeeper.h declares the API of the multi-threaded client only if THREADED is defined.
            INTERFACE_COMPILE_DEFINITIONS THREADED
            INTERFACE_LINK_LIBRARIES "$<TARGET_NAME_IF_EXISTS:Threads::Threads>"
    )
endif()
