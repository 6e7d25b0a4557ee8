# SPDX-License-Identifier: Apache-2.0
# An overlay port of vcpkg. `vcpkg install turnstile --overlay-ports=packaging/vcpkg` builds the tree that contains this
# file.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../.." ABSOLUTE)

vcpkg_check_features(
    OUT_FEATURE_OPTIONS features
    FEATURES
        mariadb TURNSTILE_WITH_MARIADB
        postgresql TURNSTILE_WITH_POSTGRESQL
        redis TURNSTILE_WITH_REDIS
        spdlog TURNSTILE_WITH_SPDLOG
        sqlite TURNSTILE_WITH_SQLITE
        testing TURNSTILE_BUILD_TESTING
        tls TURNSTILE_WITH_TLS
)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${features}
        -DTURNSTILE_UNITY_BUILD=ON
        -DTURNSTILE_BUILD_TESTS=OFF
        -DTURNSTILE_BUILD_EXAMPLES=OFF
        -DTURNSTILE_BUILD_DEMO=OFF
        -DTURNSTILE_BUILD_BENCH=OFF
        -DTURNSTILE_BUILD_CLI=OFF
        -DTURNSTILE_WITH_SASL=OFF
        # vcpkg keeps programs in the folder tools. The library's helper program (turnstile-guardian) is in
        # tools/turnstile.
        -DCMAKE_INSTALL_LIBEXECDIR=tools
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/turnstile)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/debug/include"
    "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/debug/tools"
)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
