// SPDX-License-Identifier: Apache-2.0
#include "admin/access/sign_in_door.hpp"

#include <algorithm>
#include <optional>

#include "admin/http/listen_address.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {

std::chrono::milliseconds sign_in_pace::wait(const std::string& key,
                                             boottime_clock::time_point now) const {
    const auto found = records_.find(key);
    if (found == records_.end() || found->second.failures < k_free_failures ||
        now - found->second.last >= k_memory)
        return {};
    const auto doublings = std::min(found->second.failures - k_free_failures, 8U);
    const auto whole =
        std::min<std::chrono::seconds>(std::chrono::seconds{1U << doublings}, k_longest_wait);
    const auto left = found->second.last + whole - now;
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(left),
                    std::chrono::milliseconds{0});
}

void sign_in_pace::make_room(boottime_clock::time_point now) {
    std::erase_if(records_, [now](const auto& each) { return now - each.second.last >= k_memory; });
    if (records_.size() < k_most_keys) return;
    records_.erase(std::min_element(records_.begin(), records_.end(), [](auto& a, auto& b) {
        return a.second.last < b.second.last;
    }));
}

void sign_in_pace::failed(const std::string& key, boottime_clock::time_point now) {
    if (!records_.contains(key) && records_.size() >= k_most_keys) make_room(now);
    auto& found = records_[key];
    if (now - found.last >= k_memory) found.failures = 0;
    ++found.failures;
    found.last = now;
}

void sign_in_pace::succeeded(const std::string& key) {
    records_.erase(key);
}

namespace {

constexpr std::size_t k_most_checks = 4;

refusal come_back(std::chrono::seconds wait, const char* why) {
    refusal why_not{429, "too_many",
                    std::string{why} + "; try again in " + std::to_string(wait.count()) + " s"};
    return why_not.after(wait);
}

// Permits one password check. At most k_most_checks run at the same time.
class slot {
public:
    explicit slot(std::atomic<std::size_t>& taken) : taken_{taken} {
        if (taken_.fetch_add(1) < k_most_checks) return;
        taken_.fetch_sub(1);
        throw come_back(std::chrono::seconds{1}, "this server is checking other passwords");
    }
    ~slot() { taken_.fetch_sub(1); }
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;

private:
    std::atomic<std::size_t>& taken_;
};

}  // namespace

void sign_in_door::begin_try(const std::string& key) {
    const std::lock_guard lock{mutex_};
    const auto now = boottime_clock::now();
    const auto wait = pace_.wait(key, now);
    if (wait.count() > 0)
        throw come_back(std::chrono::ceil<std::chrono::seconds>(wait),
                        "sign-ins from this address have failed");
    pace_.failed(key, now);
}

sign_ins::ticket sign_in_door::check(const std::string& name, const std::string& password,
                                     std::atomic<std::size_t>& checks) {
    std::optional<user> found;
    if (name.empty()) {
        if (known_.is_password(password)) found = user{"password", role::take};
    } else if (known_.named.have_passwords()) {
        const slot mine{checks};
        found = known_.named.with_password(name, password);
    }
    if (!found)
        throw refusal{401, "sign_in",
                      known_.named.have_passwords() ? "the name or the password is wrong"
                      : known_.password.empty()     ? "this server has no password, only a token"
                                                    : "the password is wrong"};
    return records_.begin(*found, name.empty(), boottime_clock::now());
}

sign_ins::ticket sign_in_door::enter(const visitor& caller, const std::string& name,
                                     const std::string& password) {
    const bool known = records_.knows_browser(caller.browser, boottime_clock::now());
    const auto key =
        known ? "browser " + digest_text(caller.browser) : "address " + peer_key(caller.address);
    begin_try(key);
    auto ticket = check(name, password, known ? checks_of_known_ : checks_of_strangers_);
    const std::lock_guard lock{mutex_};
    pace_.succeeded(key);
    return ticket;
}

}  // namespace turnstile::admin
