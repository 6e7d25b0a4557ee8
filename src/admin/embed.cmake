# SPDX-License-Identifier: Apache-2.0
# Writes a source with the files' bytes: cmake -D OUTPUT=... -D "FILES=a;b" -P embed.cmake
set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
    cmake_path(GET file FILENAME name)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND arrays "constexpr char k_file_${number}[] = {${bytes}0};\n")
    string(APPEND rows "    asset{\"${name}\", {k_file_${number}, sizeof k_file_${number} - 1}},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(
    WRITE "${OUTPUT}"
    "// Made by embed.cmake.
#include \"admin/assets.hpp\"

namespace turnstile::admin {
namespace {

${arrays}
constexpr asset k_assets[] = {
${rows}};

}  // namespace

std::span<const asset> assets() noexcept {
    return k_assets;
}

}  // namespace turnstile::admin
"
)
