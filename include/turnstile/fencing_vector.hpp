// SPDX-License-Identifier: Apache-2.0
// fencing_vector: the fencing tokens of a hold that consists of several locks, each with the name of its lock.
//
// Use it with multi_lock and quorum_lock. No single number orders holds on several locks or ensembles, because tokens
// of different ensembles cannot be compared. A store should remember the largest token of each lock, and refuse a write
// with a lower token. Then a holder that was paused past its lease cannot harm the store.
//
//     const auto tokens = hold->fencing_tokens();
//     if (tokens.is_behind(seen)) refuse(); else seen.raise(tokens);   // in the resource
//
// A comparison of two vectors ignores each name that only one of the vectors has. The reason: callers may lock
// different sets, and a quorum may be another majority each time.
//
// Thread safety: a value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/export.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// A set of tokens, each with the name of its lock or ensemble.
class fencing_vector {
public:
    // A token with its name.
    struct component {
        std::string name{};     // name of the lock or the ensemble; the same in every process
        fencing_token token{};  // token of this lock or ensemble
        friend bool operator==(const component&, const component&) = default;
    };

    fencing_vector() noexcept = default;
    // Throws std::system_error(bad_option) for an empty name, and for a name that occurs twice.
    TURNSTILE_EXPORT explicit fencing_vector(std::vector<component> components);

    // Returns the tokens in the order of their names.
    [[nodiscard]] const std::vector<component>& components() const noexcept { return all_; }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    // Returns the token with this name; nullptr if there is none.
    [[nodiscard]] TURNSTILE_EXPORT const fencing_token* find(std::string_view name) const noexcept;

    // Returns true if a token of this vector is lower than the token with the same name in `seen`. Then another client
    // has got that lock after this vector's holder, and the store must refuse the write.
    [[nodiscard]] TURNSTILE_EXPORT bool is_behind(const fencing_vector& seen) const noexcept;
    // Adds the tokens of `other`, and keeps the larger token for each name.
    TURNSTILE_EXPORT void raise(const fencing_vector& other);

    // Returns a text like "east=0x500000007;west=0x20000000c+3". In names '%', '=', ';' and characters that are not
    // printable ASCII are written as % and two hexadecimal digits.
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;
    // Like to_string(), but writes each token as fencing_token::to_hex() does.
    [[nodiscard]] TURNSTILE_EXPORT std::string to_hex() const;
    // Parses the text of to_string() or to_hex(). For any other text the error is `bad_option`; the message quotes the
    // text and describes the fault.
    [[nodiscard]] TURNSTILE_EXPORT static result<fencing_vector> parse(std::string_view text);

    friend bool operator==(const fencing_vector&, const fencing_vector&) = default;

private:
    std::vector<component> all_;  // sorted by name
};

}  // namespace turnstile
