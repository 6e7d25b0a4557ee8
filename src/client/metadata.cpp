// SPDX-License-Identifier: Apache-2.0
#include "client/metadata.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <utility>

#include <fmt/compile.h>
#include <unistd.h>

#include "base/key_values.hpp"
#include "base/never_destroyed.hpp"
#include "base/percent.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "client/metadata_limits.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile {

namespace {

constexpr std::size_t k_usual_size = 200;

template <class M>
auto fields(M& m) {
    using member = decltype(&m.host);
    return std::array<std::pair<std::string_view, member>, 8>{{{"host", &m.host},
                                                               {"pid", &m.pid},
                                                               {"thread", &m.thread},
                                                               {"label", &m.label},
                                                               {"owner", &m.owner},
                                                               {"timeout", &m.timeout},
                                                               {"since", &m.since},
                                                               {"resource", &m.resource}}};
}

// ---- what a stranger may have written ----

constexpr std::size_t k_longest_text = std::size_t{16} * 1024;
constexpr std::size_t k_longest_host = 255;  // as gethostname(2) gives it
constexpr std::size_t k_longest_path = 4096;

bool is_up_to(std::string_view text, std::size_t longest) {
    return text.size() <= longest;
}

// Without blanks and control characters.
bool is_host(std::string_view text) {
    return is_up_to(text, k_longest_host) && std::all_of(text.begin(), text.end(), [](char c) {
               const auto byte = static_cast<unsigned char>(c);
               return byte > ' ' && byte != 0x7f;
           });
}

bool is_number_up_to(std::string_view text, std::int64_t largest) {
    std::int64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, value);
    return failure == std::errc{} && rest == end && value > 0 && value <= largest;
}

bool is_time(std::string_view text) {
    constexpr std::string_view k_form = "0000-00-00T00:00:00Z";
    return std::equal(text.begin(), text.end(), k_form.begin(), k_form.end(),
                      [](char c, char is) { return is == '0' ? c >= '0' && c <= '9' : c == is; });
}

// Clears what this library would not have written.
void drop_impossible(contender_metadata& claimed) {
    const auto keep_if = [](bool possible, std::string& field) {
        if (!possible) field.clear();
    };
    keep_if(is_host(claimed.host), claimed.host);
    keep_if(is_number_up_to(claimed.pid, INT32_MAX), claimed.pid);
    keep_if(is_number_up_to(claimed.thread, INT32_MAX), claimed.thread);
    keep_if(is_up_to(claimed.label, detail::k_longest_label), claimed.label);
    keep_if(is_up_to(claimed.owner, detail::k_longest_owner), claimed.owner);
    keep_if(is_number_up_to(claimed.timeout, detail::k_longest_session_timeout.count()),
            claimed.timeout);
    keep_if(is_time(claimed.since), claimed.since);
    keep_if(is_up_to(claimed.resource, k_longest_path), claimed.resource);
}

// As ISO 8601 has it, to the second.
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

std::string contender_metadata::to_string() const {
    std::string metadata;
    metadata.reserve(k_usual_size);
    for (const auto& [key, value] : fields(*this)) {
        if (value->empty()) continue;
        if (!metadata.empty()) metadata += ' ';
        metadata += key;
        metadata += '=';
        base::append_percent_escaped(metadata, *value);
    }
    return metadata;
}

contender_metadata contender_metadata::parse(std::string_view text) {
    contender_metadata metadata;
    metadata.text = text.substr(0, k_longest_text);
    base::for_each_pair(text, [&metadata](std::string_view name, const std::string& content) {
        for (const auto& [key, value] : fields(metadata))
            if (key == name) *value = content;
    });
    drop_impossible(metadata);
    return metadata;
}

// Made anew in a forked child, whose one thread is not the parent's.
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

std::string contender_text(std::string_view path, std::string_view label, std::string_view owner,
                           std::chrono::milliseconds session_timeout) {
    static const std::string& host = base::never_destroyed([] {
        std::array<char, 256> name{};
        return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string{name.data()}
                                                                : std::string{"unknown"};
    }());
    contender_metadata metadata;
    metadata.resource = path;
    metadata.host = host;
    metadata.pid = std::to_string(::getpid());
    metadata.thread = std::to_string(::gettid());
    metadata.label = label;
    metadata.owner = owner;
    metadata.timeout = std::to_string(session_timeout.count());
    metadata.since = utc_text(std::chrono::system_clock::now());
    return metadata.to_string();
}

base::shared_text contender_texts::text(const std::string& label, const std::string& owner) {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const base::lock_guard lock{mutex_};
    wording wanted{now, ::getpid(), ::gettid(), label, owner};
    if (wanted != latest_) {
        text_ = contender_text({}, label, owner, session_timeout_);
        latest_ = std::move(wanted);
    }
    return text_;
}

}  // namespace detail

}  // namespace turnstile
