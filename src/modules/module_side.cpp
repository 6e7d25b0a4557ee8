// SPDX-License-Identifier: Apache-2.0
// In a module, this file replaces the core's sources that have state: each function calls the core.
#include <atomic>
#include <cstdlib>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/process.hpp"
#include "modules/entry.hpp"

namespace turnstile {
namespace {

std::atomic<const modules::host*> attached{nullptr};

const modules::host& services() noexcept {
    return *attached.load(std::memory_order_acquire);
}

}  // namespace

void modules::attach(const host* of_core) noexcept {
    attached.store(of_core, std::memory_order_release);
}

bool log::enabled(log_level level) noexcept {
    return services().log_enabled(level);
}

void log::write_line(log_level level, std::string_view line) noexcept {
    services().log_line(level, line);
}

std::uint64_t base::process_generation() noexcept {
    return services().process_generation();
}

void base::end_out_of_memory(const char* place) noexcept {
    services().end_out_of_memory(place);
    std::abort();
}

// A module passes descriptors only with keep_open(), so `passed` is never used.
void guardian::guardian_link::send(const message& value, int /*passed*/) noexcept {
    services().tell_guardian(*this, value);
}

std::uint64_t guardian::guardian_link::keep_open(int descriptor) noexcept {
    return services().keep_open(*this, descriptor);
}

bool guardian::guardian_link::ends(std::string_view servers) noexcept {
    return services().ends(*this, servers);
}

}  // namespace turnstile
