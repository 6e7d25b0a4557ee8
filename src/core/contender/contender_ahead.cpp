// SPDX-License-Identifier: Apache-2.0
#include "core/contender/contender_ahead.hpp"

#include "base/path.hpp"

namespace turnstile::core {
namespace {

std::string escaped(const std::string& claim) {
    const auto quoted = base::printable(claim);
    return quoted.substr(1, quoted.find_last_of('"') - 1);
}

}  // namespace

std::string text_of_claims(const contender_metadata& claimed, bool with_thread) {
    std::string text;
    const auto add = [&text](const char* name, const std::string& value) {
        if (!value.empty()) text.append(text.empty() ? "" : ", ").append(name).append(value);
    };
    add("", escaped(claimed.host));
    add("pid ", claimed.pid);
    if (with_thread) add("thread ", claimed.thread);
    if (!claimed.label.empty()) add("label ", base::printable(claimed.label));
    add("since ", claimed.since);
    return text;
}

contender_ahead contender_ahead::of(const reply& answer, std::int64_t session) {
    const bool is_own = answer.stat.ephemeral_owner == session;
    return {text_of_claims(contender_metadata::parse(answer.data), is_own), is_own};
}

}  // namespace turnstile::core
