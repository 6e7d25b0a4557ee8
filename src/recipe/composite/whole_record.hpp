// SPDX-License-Identifier: Apache-2.0
// whole_record: the tokens and the validity of a multi_lock's hold, for the guard of this hold. While the hold has its
// parts (the holds of the single locks), whole_record reads the parts. After remember() it returns a copy of their last
// state.
//
// `locks`: the locks of the multi_lock; each has a name(). `parts`: one element for each lock, in the same order; the
// member `held` points to the hold of that lock, or is null.
//
// Thread safety: none, a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "turnstile/clock.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/fencing_vector.hpp"

namespace turnstile::detail {

class whole_record {
public:
    // Returns the token of the multi_lock's last lock.
    template <class Parts>
    [[nodiscard]] fencing_token token(const Parts& parts) const {
        if (last_) return last_->token;
        return parts.back().held ? parts.back().held->token() : fencing_token{};
    }
    template <class Parts, class Locks>
    [[nodiscard]] fencing_vector tokens(const Parts& parts, const Locks& locks) const {
        return last_ ? last_->tokens : tokens_of(parts, locks);
    }
    template <class Parts>
    [[nodiscard]] boottime_clock::time_point valid_until(const Parts& parts) const {
        return last_ ? last_->valid_until : earliest_end(parts);
    }

    // Copies the state of the single locks' holds (`parts`). Call it once, before these holds are given back.
    template <class Parts, class Locks>
    void remember(const Parts& parts, const Locks& locks) {
        if (!last_) last_ = {token(parts), tokens_of(parts, locks), earliest_end(parts)};
    }

private:
    struct last_words {
        fencing_token token;
        fencing_vector tokens;
        boottime_clock::time_point valid_until;
    };

    // Returns the tokens of all locks, with names. If the hold of a lock has one token, the token gets the lock's name.
    // If the hold has several tokens, each name is the lock's name, "/", and the token's own name.
    template <class Parts, class Locks>
    [[nodiscard]] static fencing_vector tokens_of(const Parts& parts, const Locks& locks) {
        std::vector<fencing_vector::component> all;
        for (std::size_t i = 0; i != parts.size(); ++i) {
            if (!parts[i].held) continue;
            const auto tokens = parts[i].held->tokens();
            for (const auto& token : tokens.components()) {
                const auto& name = locks[i].name();
                all.push_back({tokens.size() == 1 ? name : name + '/' + token.name, token.token});
            }
        }
        return fencing_vector{std::move(all)};
    }
    template <class Parts>
    [[nodiscard]] static boottime_clock::time_point earliest_end(const Parts& parts) {
        auto until = boottime_clock::time_point::max();
        for (const auto& part : parts) {
            until = std::min(
                until, part.held ? part.held->valid_until() : boottime_clock::time_point::min());
        }
        return until;
    }

    std::optional<last_words> last_;
};

}  // namespace turnstile::detail
