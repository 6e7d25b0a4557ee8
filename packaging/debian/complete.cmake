# SPDX-License-Identifier: Apache-2.0
# cpack runs this after it has installed each component into a separate folder. The script adds the files that Debian
# requires in each package: copyright, changelog and compressed manual pages.
find_program(GZIP gzip REQUIRED)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # the time is SOURCE_DATE_EPOCH if that is set
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} part)
    set(package "${CPACK_DEBIAN_${part}_PACKAGE_NAME}")
    set(top "${CPACK_TEMPORARY_DIRECTORY}/${component}")
    set(docs "${top}${CPACK_PACKAGING_INSTALL_PREFIX}/share/doc/${package}")
    file(MAKE_DIRECTORY "${docs}")
    configure_file("${CMAKE_CURRENT_LIST_DIR}/copyright" "${docs}/copyright" COPYONLY)
    file(
        WRITE "${docs}/changelog.Debian"
        "turnstile (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
        "  * Version ${CPACK_PACKAGE_VERSION}; its changes are in CHANGELOG.md.\n\n"
        " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n"
    )
    file(GLOB pages "${top}${CPACK_PACKAGING_INSTALL_PREFIX}/share/man/man1/*.1")
    execute_process(
        COMMAND "${GZIP}" -9nf "${docs}/changelog.Debian" ${pages} COMMAND_ERROR_IS_FATAL ANY
    )
endforeach()
