// SPDX-License-Identifier: Apache-2.0
#include "redis/server_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "redis/scripts.hpp"
#include "redis/server_address.hpp"

namespace turnstile::redis {
namespace {

constexpr int k_least_major = 6;

std::string_view value_of(std::string_view info, std::string_view key) {
    for (std::size_t from = 0; from < info.size();) {
        const auto end = std::min(info.find('\n', from), info.size());
        auto row = info.substr(from, end - from);
        if (row.ends_with('\r')) row.remove_suffix(1);
        if (row.starts_with(key) && row.substr(key.size()).starts_with(':'))
            return row.substr(key.size() + 1);
        from = end + 1;
    }
    return {};
}

// Returns the value of `key` for messages. The value comes from the server, so a long value or a value with unusual
// characters becomes an empty text.
std::string_view word_of(std::string_view info, std::string_view key) {
    constexpr std::size_t k_longest = 64;
    const auto word = value_of(info, key);
    return word.size() <= k_longest && is_word(word) ? word : std::string_view{};
}

// Returns the number at the start of the text, or 0.
template <class Number = int>
Number leading_number(std::string_view text) noexcept {
    Number value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return std::max<Number>(value, 0);
}

}  // namespace

refusal_kind judge_refusal(std::string_view error) noexcept {
    constexpr std::array<std::pair<std::string_view, refusal_kind>, 18> k_words{{
        {"BUSY", refusal_kind::throttled},
        {"OOM", refusal_kind::full},
        {"NOSCRIPT", refusal_kind::renew},
        {"LOADING", refusal_kind::away},
        {"READONLY", refusal_kind::away},
        {"MASTERDOWN", refusal_kind::away},
        {"MISCONF", refusal_kind::away},
        {"NOREPLICAS", refusal_kind::away},
        {"CLUSTERDOWN", refusal_kind::away},
        {"MOVED", refusal_kind::away},
        {"ASK", refusal_kind::away},
        {"TRYAGAIN", refusal_kind::away},
        {"UNBLOCKED", refusal_kind::away},
        {"NOAUTH", refusal_kind::credentials},
        {"WRONGPASS", refusal_kind::credentials},
        {"NOPERM", refusal_kind::credentials},
        // The client has sent a password to a server that has no users and no password.
        {"ERR AUTH", refusal_kind::credentials},
        {"ERR Client sent AUTH", refusal_kind::credentials},
    }};
    for (const auto& [word, meaning] : k_words) {
        if (error.starts_with(word) &&
            (error.size() == word.size() || error[word.size()] == ' ' || word.starts_with("ERR")))
            return meaning;
    }
    // Some versions of Redis put other words before the code of an error inside a script.
    if (error.find("OOM command not allowed") != std::string_view::npos) return refusal_kind::full;
    if (error.find("READONLY You can't write") != std::string_view::npos) return refusal_kind::away;
    // The key's slot is moving to another node, and that node already has the key.
    if (error.find("non local key in a cluster node") != std::string_view::npos)
        return refusal_kind::away;
    if (error.find("NOREPLICAS ") != std::string_view::npos) return refusal_kind::away;
    if (error.find("MISCONF ") != std::string_view::npos) return refusal_kind::away;
    if (error.find("NOPERM ") != std::string_view::npos ||
        error.find("permissions to run the") != std::string_view::npos ||
        error.find("The user executing the script") != std::string_view::npos ||
        error.find("ACL failure in script") != std::string_view::npos)  // since Redis 7.2
        return refusal_kind::credentials;
    return refusal_kind::other;
}

bool is_broken_off(std::string_view error) noexcept {
    return judge_refusal(error) == refusal_kind::credentials &&
           error.find("script") != std::string_view::npos;
}

std::string_view without_arguments(std::string_view error) noexcept {
    return error.substr(0, error.find(", with args beginning with"));
}

std::optional<server_address> moved_to(std::string_view error, const server_address& asked) {
    constexpr std::string_view k_word = "MOVED ";
    if (!error.starts_with(k_word)) return std::nullopt;
    const auto place = error.substr(std::min(error.rfind(' '), error.size() - 1) + 1);
    const auto colon = place.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto host = place.substr(0, colon);
    return claimed_address(host.empty() || host == "?" ? asked.host : host,
                           place.substr(colon + 1));
}

server_facts parse_info(std::string_view info) {
    server_facts facts;
    facts.version = word_of(info, "redis_version");
    facts.master = value_of(info, "role") == "master";
    // Redis's sentinels report themselves in redis_mode, and Valkey's sentinels only in server_mode.
    facts.sentinel =
        value_of(info, "redis_mode") == "sentinel" || value_of(info, "server_mode") == "sentinel";
    facts.cluster = value_of(info, "cluster_enabled") == "1";
    facts.append_only = value_of(info, "aof_enabled") == "1";
    facts.uptime = leading_number<std::int64_t>(value_of(info, "uptime_in_seconds"));
    facts.replicas = leading_number(value_of(info, "connected_slaves"));
    facts.eviction_policy = word_of(info, "maxmemory_policy");
    return facts;
}

std::string unfit(const server_facts& facts, bool& too_old) {
    too_old = leading_number(facts.version) < k_least_major;
    if (too_old)
        return fmt::format("Redis {} is too old: {}.0 or later is needed",
                           facts.version.empty() ? "of an unknown version" : facts.version,
                           k_least_major);
    if (facts.sentinel)
        return "the server is a sentinel: write redis+sentinel://host:port/name-of-the-master";
    if (facts.eviction_policy != "noeviction")
        return fmt::format(
            "maxmemory-policy is '{}': a server that is short of memory would evict locks, and two "
            "clients could hold one lock; set maxmemory-policy to noeviction",
            facts.eviction_policy);
    return {};
}

std::string other_layout(std::string_view tree, std::string_view found) {
    return fmt::format("the tree {} has keys of version {}; this release needs version {}", tree,
                       found, k_layout);
}

bool keeps_its_data(const server_facts& facts) noexcept {
    return facts.append_only && facts.fsync_always;
}

std::int64_t stays_out_for(const server_facts& facts, int stay_out) noexcept {
    constexpr std::int64_t k_rounding = 1;
    constexpr std::int64_t k_drift_part = 500;  // two clocks, each off by 1/1000
    if (stay_out == 0 || keeps_its_data(facts)) return 0;
    const auto least = stay_out + stay_out / k_drift_part + 1 + k_rounding;
    return std::max<std::int64_t>(least - facts.uptime, 0);
}

turnstile::promises promises_of(const server_facts& facts, bool sentinels) noexcept {
    const bool replicated = sentinels || facts.cluster || facts.replicas > 0;
    const bool keeps = keeps_its_data(facts) && !replicated;
    return {.exclusion = keeps ? exclusion_promise::leased : exclusion_promise::best_effort,
            .order = order_promise::arrival,
            .waiting = waiting_promise::notified,
            .failover = replicated ? failover_promise::loses_writes : failover_promise::none,
            .loss = keeps ? loss_promise::told : loss_promise::none,
            .token = token_promise::grows_across_lost_data,
            .writes = write_promise::guarded,
            .crash = crash_promise::session_timeout,
            .scope = scope_promise::server};
}

}  // namespace turnstile::redis
