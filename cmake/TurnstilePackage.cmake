# SPDX-License-Identifier: Apache-2.0
# The Debian packages that cpack makes, one for each install component. scripts/package builds and checks them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME turnstile)
set(CPACK_PACKAGE_VENDOR "The Turnstile authors")
# Publishers of packages set this variable to their address.
set(TURNSTILE_PACKAGE_CONTACT "The Turnstile authors <turnstile@localhost>" CACHE STRING "Maintainer of packages")
mark_as_advanced(TURNSTILE_PACKAGE_CONTACT)
set(CPACK_PACKAGE_CONTACT "${TURNSTILE_PACKAGE_CONTACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
# The .pc files and the guardian's path contain the prefix. So cpack installs with the prefix, below DESTDIR.
set(CPACK_SET_DESTDIR ON)
set(CPACK_COMPONENTS_ALL ${turnstile_components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE
)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/debian/complete.cmake")

# Each Debian suite needs packages with a different revision.
set(TURNSTILE_DEBIAN_REVISION 1 CACHE STRING "Revision of Debian packages, such as 1~deb12")
mark_as_advanced(TURNSTILE_DEBIAN_REVISION)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "${TURNSTILE_DEBIAN_REVISION}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/src")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(turnstile_same "(= ${PROJECT_VERSION}-${TURNSTILE_DEBIAN_REVISION})")
set(turnstile_runtime_package "libturnstile${turnstile_abi}")

# turnstile_package(<component> <package> <section> <summary> <description> [<field> <value>]...) describes a
# component's Debian package. dpkg's triggers make ldconfig renew the dynamic linker's cache after the installation of a
# shared library.
set(turnstile_triggers "${PROJECT_SOURCE_DIR}/packaging/debian/triggers")
macro(turnstile_package component package section summary description)
    string(TOUPPER ${component} part)
    set(CPACK_DEBIAN_${part}_PACKAGE_NAME ${package})
    set(CPACK_DEBIAN_${part}_PACKAGE_SECTION ${section})
    set(CPACK_DEBIAN_${part}_DESCRIPTION "${summary}\n${description}")
    set(fields ${ARGN})
    while(fields)
        list(POP_FRONT fields field value)
        set(CPACK_DEBIAN_${part}_PACKAGE_${field} "${value}")
    endwhile()
endmacro()

set(turnstile_module_packages ${turnstile_modules})
list(TRANSFORM turnstile_module_packages PREPEND "libturnstile-")
list(JOIN turnstile_module_packages ", " turnstile_module_names)
set(turnstile_same_modules ${turnstile_module_packages})
list(TRANSFORM turnstile_same_modules APPEND " ${turnstile_same}")
list(JOIN turnstile_same_modules ", " turnstile_same_modules)

turnstile_package(
    runtime ${turnstile_runtime_package} libs "fair distributed locks: the library"
    "Processes queue for a lock on Apache ZooKeeper and get it in the order of
their arrival. Each holder knows until when it holds the lock for certain. The
library reports a loss before another process can get the lock. Further
packages support Redis, SQLite, PostgreSQL and MariaDB."
    SUGGESTS "${turnstile_module_names}, turnstile"
    CONTROL_EXTRA "${turnstile_triggers}"
)
set(turnstile_tls_servers "ZooKeeper with TLS")
set(turnstile_redis_servers Redis)
set(turnstile_sqlite_servers SQLite)
set(turnstile_postgresql_servers PostgreSQL)
set(turnstile_mariadb_servers MariaDB)
foreach(module IN LISTS turnstile_modules)
    set(servers "${turnstile_${module}_servers}")
    turnstile_package(
        ${module} libturnstile-${module} libs "fair distributed locks: locks on ${servers}"
        "The library loads this module for connect strings that name
${servers}. The module and the library have the same version."
        DEPENDS "${turnstile_runtime_package} ${turnstile_same}"
        CONTROL_EXTRA "${turnstile_triggers}"
    )
endforeach()
turnstile_package(
    development libturnstile-dev libdevel "fair distributed locks: headers and CMake package"
    "Headers, link names, the CMake package turnstile and .pc files, for programs
that take locks."
    DEPENDS "${turnstile_runtime_package} ${turnstile_same}, ${turnstile_same_modules}"
    SUGGESTS "libturnstile-testing-dev, turnstile-doc"
)
turnstile_package(
    testing libturnstile-testing-dev libdevel "fair distributed locks: kit for tests"
    "Real servers for tests in C++, a proxy that cuts and delays their
connections, simulated servers, and runs of a whole service under virtual
time."
    DEPENDS "libturnstile-dev ${turnstile_same}, libzookeeper-mt-dev, libboost-thread-dev, libboost-chrono-dev, libfmt-dev, libspdlog-dev"
    RECOMMENDS "libzookeeper-java, default-jre-headless"
)
turnstile_package(
    command turnstile utils "fair distributed locks: command, guardian and page"
    "The command runs programs under a lock, elects leaders, shows locks with
their queues, examines servers and serves a page for operators. The guardian
frees the locks of a crashed process at once."
    DEPENDS "${turnstile_runtime_package} ${turnstile_same}"
    RECOMMENDS "${turnstile_module_names}"
    SUGGESTS "turnstile-doc, libzookeeper-java, default-jre-headless"
)
turnstile_package(
    documentation turnstile-doc doc "fair distributed locks: documentation"
    "The guarantees and their assumptions, a guide for each task, and the arguments
for the design."
    ARCHITECTURE all
)
include(CPack)
