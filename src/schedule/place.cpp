// SPDX-License-Identifier: Apache-2.0
#include "schedule/place.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace turnstile::schedule {

namespace {

// The linker's: where this program begins.
extern "C" const char __executable_start;

constexpr std::size_t k_longest_answer = 2000;

// The file that the address was loaded from, and where that begins.
struct origin {
    std::string file;
    std::uintptr_t base = 0;
};

origin origin_of(std::uintptr_t address) {
    Dl_info found{};
    if (::dladdr(reinterpret_cast<const void*>(address), &found) == 0) return {};
    const auto base = reinterpret_cast<std::uintptr_t>(found.dli_fbase);
    if (base != reinterpret_cast<std::uintptr_t>(&__executable_start))
        return {found.dli_fname, base};
    std::array<char, 512> self{};
    if (::readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) return {};
    return {self.data(), base};
}

}  // namespace

std::string place_of(std::uintptr_t address) {
    if (address == 0) return {};
    const auto from = origin_of(address);
    if (from.file.empty()) return {};
    const auto command = fmt::format("addr2line -Cfpis -e '{}' {:#x} 2>/dev/null", from.file,
                                     address - from.base - 1);
    std::string out;
    if (FILE* lines = ::popen(command.c_str(), "r")) {
        std::array<char, 512> line{};
        while (out.size() < k_longest_answer &&
               std::fgets(line.data(), line.size(), lines) != nullptr)
            out += out.empty() ? std::string{line.data()} : "        " + std::string{line.data()};
        ::pclose(lines);
    }
    while (out.ends_with('\n')) out.pop_back();
    return out;
}

}  // namespace turnstile::schedule
