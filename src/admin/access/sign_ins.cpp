// SPDX-License-Identifier: Apache-2.0
#include "admin/access/sign_ins.hpp"

#include <algorithm>
#include <chrono>

#include "admin/access/secrets.hpp"

namespace turnstile::admin {
namespace {

constexpr std::chrono::hours k_lifetime{12};
constexpr std::size_t k_most_sign_ins = 1'000;

}  // namespace

void sign_ins::make_room(boottime_clock::time_point now) {
    std::erase_if(records_, [now](const auto& each) { return each.second.until <= now; });
    if (records_.size() < k_most_sign_ins) return;
    records_.erase(std::min_element(records_.begin(), records_.end(), [](auto& a, auto& b) {
        return a.second.until < b.second.until;
    }));
}

sign_ins::ticket sign_ins::begin(boottime_clock::time_point now) {
    ticket issued{random_secret(), random_secret()};
    const std::lock_guard lock{mutex_};
    make_room(now);
    records_[digest_text(issued.id)] = {issued.csrf, now + k_lifetime};
    return issued;
}

std::optional<sign_ins::ticket> sign_ins::find(std::string_view id,
                                               boottime_clock::time_point now) {
    const std::lock_guard lock{mutex_};
    const auto found = records_.find(digest_text(id));
    if (found == records_.end() || found->second.until <= now) return std::nullopt;
    return ticket{std::string{id}, found->second.csrf};
}

void sign_ins::end(std::string_view id) {
    const std::lock_guard lock{mutex_};
    records_.erase(digest_text(id));
}

std::string_view cookie_of(std::string_view header, std::string_view name) noexcept {
    while (!header.empty()) {
        auto part = header.substr(0, header.find(';'));
        header.remove_prefix(std::min(part.size() + 1, header.size()));
        part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
        if (part.starts_with(name) && part.substr(name.size()).starts_with('='))
            return part.substr(name.size() + 1);
    }
    return {};
}

}  // namespace turnstile::admin
