// SPDX-License-Identifier: Apache-2.0
#include "core/contender/contender_ahead.hpp"

#include "base/path.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::core {
namespace {

// Metadata that this library writes with a usual label is shorter.
constexpr std::size_t k_longest_kept = 1024;

std::string escaped(const std::string& claim) {
    const auto quoted = base::printable(claim);
    return quoted.substr(1, quoted.find_last_of('"') - 1);
}

}  // namespace

contender_ahead contender_ahead::of(const reply& answer, std::int64_t session) {
    return {answer.data.substr(0, k_longest_kept), answer.stat.ephemeral_owner == session};
}

std::string contender_ahead::text() const {
    const auto claimed = contender_metadata::parse(data);
    std::string text;
    const auto add = [&text](const char* name, const std::string& value) {
        if (!value.empty()) text.append(text.empty() ? "" : ", ").append(name).append(value);
    };
    add("", escaped(claimed.host));
    add("pid ", claimed.pid);
    if (is_own) add("thread ", claimed.thread);
    if (!claimed.label.empty()) add("label ", base::printable(claimed.label));
    add("since ", claimed.since);
    return text;
}

}  // namespace turnstile::core
