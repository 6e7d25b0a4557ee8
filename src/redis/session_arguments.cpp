// SPDX-License-Identifier: Apache-2.0
#include "redis/session_arguments.hpp"

#include <algorithm>
#include <chrono>

#include "base/sha1.hpp"
#include "redis/orphan.hpp"
#include "support/hexadecimal.hpp"
#include "support/random_digits.hpp"

namespace turnstile::redis {

session_arguments::session_arguments(const redis_address& where,
                                     const core::session_settings& settings)
    : prefix_{key_prefix(where)},
      znodes_{znodes_key(prefix_)},
      deadlines_{deadlines_key(prefix_)},
      identity_{settings.credentials.empty()
                    ? std::string{}
                    : support::hexadecimal_digits(base::sha1(settings.credentials))},
      password_{support::random_digits<16>()},
      timeout_{std::to_string(std::max<std::int64_t>(
          1, std::chrono::ceil<std::chrono::microseconds>(settings.timeout).count()))} {}

void session_arguments::greeted(const std::array<std::string, k_script_count>& digests) {
    digests_ = digests;
    mark_ = proof();
}

void session_arguments::attached(std::string_view session, std::string_view mark,
                                 std::optional<core::clock_reading> clock) {
    session_ = session;
    mark_ = mark;
    clock_ = clock;
}

std::vector<std::string_view> session_arguments::words(const script_call& call) const {
    std::vector<std::string_view> words{"EVALSHA",
                                        digests_.at(static_cast<std::size_t>(call.which)), "2"};
    words.insert(words.end(), {znodes_, deadlines_, prefix_, session_, mark_, timeout_, identity_});
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    return words;
}

std::string session_arguments::proof() const {
    return proof_of(timeout_, password_, identity_);
}

core::session_identity session_arguments::identity() const {
    core::session_identity found;
    if (session_.empty()) return found;
    found.id = std::stoll(session_);
    for (std::size_t i = 0; i != found.password.size(); ++i)
        found.password.at(i) =
            static_cast<char>(std::stoi(password_.substr(2 * i, 2), nullptr, 16));
    return found;
}

}  // namespace turnstile::redis
