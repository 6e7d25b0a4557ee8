// SPDX-License-Identifier: Apache-2.0
#include "admin/access/sign_ins.hpp"

#include <algorithm>
#include <chrono>

#include "admin/access/users.hpp"

namespace turnstile::admin {
namespace {

constexpr std::chrono::hours k_lifetime{12};
constexpr std::chrono::hours k_browser_lifetime{24 * 30};
constexpr std::size_t k_most_sign_ins = 1'000;

}  // namespace

template <class Record>
void sign_ins::make_room(by_digest<Record>& records, boottime_clock::time_point now) {
    std::erase_if(records, [now](const auto& each) { return each.second.until <= now; });
    if (records.size() < k_most_sign_ins) return;
    records.erase(std::min_element(records.begin(), records.end(), [](auto& a, auto& b) {
        return a.second.until < b.second.until;
    }));
}

sign_ins::ticket sign_ins::begin(const user& person, bool shared, boottime_clock::time_point now) {
    ticket issued{random_secret(), random_secret(), person, shared};
    const std::lock_guard lock{mutex_};
    make_room(records_, now);
    records_[digest_text(issued.id)] = {issued.csrf, person, shared, now + k_lifetime};
    return issued;
}

std::string sign_ins::remember_browser(boottime_clock::time_point now) {
    auto id = random_secret();
    const std::lock_guard lock{mutex_};
    make_room(browsers_, now);
    browsers_[digest_text(id)] = {now + k_browser_lifetime};
    return id;
}

bool sign_ins::knows_browser(std::string_view id, boottime_clock::time_point now) {
    if (id.empty()) return false;
    const std::lock_guard lock{mutex_};
    const auto found = browsers_.find(digest_text(id));
    return found != browsers_.end() && found->second.until > now;
}

std::optional<sign_ins::ticket> sign_ins::find(std::string_view id,
                                               boottime_clock::time_point now) {
    const std::lock_guard lock{mutex_};
    const auto found = records_.find(digest_text(id));
    if (found == records_.end() || found->second.until <= now) return std::nullopt;
    const auto& known = found->second;
    return ticket{std::string{id}, known.csrf, known.person, known.shared};
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
