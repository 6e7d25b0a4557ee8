// SPDX-License-Identifier: Apache-2.0
#include "client/metadata.hpp"

#include <array>
#include <chrono>
#include <utility>

#include <fmt/compile.h>
#include <unistd.h>

#include "base/never_destroyed.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile {

namespace {

// Returns the time in ISO 8601, to the second.
std::string utc_text(std::chrono::system_clock::time_point when) {
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(when - day)};
    return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z"),
                       static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count());
}

}  // namespace

// Returns an identity for the calling thread. A thread of a forked child gets a new identity.
std::string thread_owner() {
    struct identity {
        std::uint64_t generation = base::process_generation();
        std::string text = fmt::format("{:016x}", base::random::from_system()());
    };
    thread_local identity own;
    if (own.generation != base::process_generation()) own = {};
    return own.text;
}

namespace detail {

std::string contender_text(std::string_view label, std::string_view owner,
                           std::chrono::milliseconds session_timeout, std::string_view recipe) {
    static const std::string& host = base::never_destroyed([] {
        std::array<char, 256> name{};
        return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string{name.data()}
                                                                : std::string{"unknown"};
    }());
    contender_metadata metadata;
    metadata.host = host;
    metadata.pid = std::to_string(::getpid());
    metadata.thread = std::to_string(::gettid());
    metadata.label = label;
    metadata.owner = owner;
    metadata.timeout = std::to_string(session_timeout.count());
    metadata.since = utc_text(std::chrono::system_clock::now());
    metadata.recipe = recipe;
    return metadata.to_string();
}

base::shared_text contender_texts::text(const std::string& label, const std::string& owner,
                                        std::string_view recipe) {
    if (!recipe.empty())
        return base::shared_text{contender_text(label, owner, session_timeout_, recipe)};
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const base::lock_guard lock{mutex_};
    wording wanted{now, ::getpid(), ::gettid(), label, owner};
    if (wanted != latest_) {
        text_ = contender_text(label, owner, session_timeout_);
        latest_ = std::move(wanted);
    }
    return text_;
}

}  // namespace detail

}  // namespace turnstile
