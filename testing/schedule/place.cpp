// SPDX-License-Identifier: Apache-2.0
#include "schedule/place.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string_view>

namespace turnstile::schedule {

namespace {

// The linker sets this symbol to the start of the program.
extern "C" const char __executable_start;

constexpr std::string_view k_inlined_by = " (inlined by) ";

// The loaded file that contains an address, and where the file begins in memory.
struct origin {
    std::string file;
    std::uintptr_t base = 0;
};

origin origin_of(std::uintptr_t address) {
    Dl_info found{};
    if (::dladdr(reinterpret_cast<const void*>(address), &found) == 0) return {};
    const auto base = reinterpret_cast<std::uintptr_t>(found.dli_fbase);
    const bool own = base == reinterpret_cast<std::uintptr_t>(&__executable_start);
    if (!own) return {found.dli_fname, base};
    std::array<char, 512> self{};
    if (::readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) return {};
    return {self.data(), base};
}

std::string output_of(const std::string& command) {
    struct closing {
        void operator()(FILE* lines) const { ::pclose(lines); }
    };
    const std::unique_ptr<FILE, closing> lines{::popen(command.c_str(), "r")};
    std::string text;
    std::array<char, 4096> part{};
    while (lines && std::fgets(part.data(), part.size(), lines.get()) != nullptr)
        text += part.data();
    return text;
}

// A return address points behind the call, so this function subtracts one byte.
std::uintptr_t offset_of(std::uintptr_t address, std::uintptr_t base) {
    return address - base - 1;
}

}  // namespace

std::map<std::uintptr_t, std::vector<std::string>> places_of(
    const std::vector<std::uintptr_t>& addresses) {
    struct module {
        std::uintptr_t base = 0;
        std::string offsets;
    };
    std::map<std::string, module> modules;
    for (const auto address : addresses) {
        const auto from = origin_of(address);
        if (from.file.empty()) continue;
        auto& of = modules[from.file];
        of.base = from.base;
        of.offsets += fmt::format(" {:#x}", offset_of(address, from.base));
    }
    std::map<std::uintptr_t, std::vector<std::string>> places;
    for (const auto& [file, of] : modules) {
        const auto text =
            output_of(fmt::format("addr2line -Cfpia -e '{}'{} 2>/dev/null", file, of.offsets));
        std::vector<std::string>* lines = nullptr;
        for (std::string_view left{text}; !left.empty();) {
            auto line = left.substr(0, left.find('\n'));
            left.remove_prefix(std::min(line.size() + 1, left.size()));
            if (line.starts_with(k_inlined_by)) {
                line.remove_prefix(k_inlined_by.size());
            } else {
                std::uintptr_t offset = 0;
                const auto end = line.find(": ");
                if (end == std::string_view::npos || !line.starts_with("0x")) continue;
                std::from_chars(line.data() + 2, line.data() + end, offset, 16);
                lines = &places[of.base + offset + 1];
                lines->clear();
                line.remove_prefix(end + 2);
            }
            if (lines != nullptr && line.find("??:") == std::string_view::npos)
                lines->emplace_back(line);
        }
    }
    return places;
}

std::string place_of(std::uintptr_t address) {
    if (address == 0) return {};
    std::string text;
    for (const auto& [where, lines] : places_of({address}))
        for (const auto& line : lines) text += (text.empty() ? "" : "\n        ") + line;
    return text;
}

}  // namespace turnstile::schedule
