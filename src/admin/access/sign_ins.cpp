// SPDX-License-Identifier: Apache-2.0
#include "admin/access/sign_ins.hpp"

#include <algorithm>

#include "admin/http/listen_address.hpp"
#include "admin/http/refusal.hpp"

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
