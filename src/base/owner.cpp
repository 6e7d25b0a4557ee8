// SPDX-License-Identifier: Apache-2.0
#include "turnstile/owner.hpp"

#include <atomic>

namespace turnstile {

namespace {

std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

owner owner::calling_thread() noexcept {
    thread_local const std::uint64_t t_mine = next_number();
    return {kind::thread, t_mine};
}

owner owner::make() noexcept {
    return {kind::token, next_number()};
}

std::string owner::to_string() const {
    return (is_thread() ? "thread " : "owner ") + std::to_string(number_);
}

}  // namespace turnstile
