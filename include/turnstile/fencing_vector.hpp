// SPDX-License-Identifier: Apache-2.0
// fencing_vector: the fencing tokens of a hold that is made of several, each with the name of its lock.
//
// Purpose: a resource that remembers, for each lock, the largest token it has seen, and refuses a write
// if any token of the write is lower, cannot be harmed by a holder that was paused past its lease. A hold
// on several locks, or on a majority of several ensembles, has no single number that orders it: tokens
// of different ensembles cannot be compared.
//
//     const auto tokens = hold->fencing_tokens();
//     if (tokens.is_behind(seen)) refuse(); else seen.raise(tokens);   // in the resource
//
// A name that only one of the two vectors has says nothing about their order: locks are taken in other
// sets, and a quorum is another majority each time.
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

class fencing_vector {
public:
    struct component {
        std::string name{};  // of the lock, or of the ensemble; the same in every process
        fencing_token token{};
        friend bool operator==(const component&, const component&) = default;
    };

    fencing_vector() noexcept = default;
    // Throws std::system_error(bad_option) for a name that is empty or there twice.
    TURNSTILE_EXPORT explicit fencing_vector(std::vector<component> components);

    // In the order of their names.
    [[nodiscard]] const std::vector<component>& components() const noexcept { return all_; }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    // nullptr if there is none of this name.
    [[nodiscard]] TURNSTILE_EXPORT const fencing_token* find(std::string_view name) const noexcept;

    // True if a token here is lower than the one of the same name there: another client has held that lock
    // since, and what comes with these tokens has to be refused.
    [[nodiscard]] TURNSTILE_EXPORT bool is_behind(const fencing_vector& seen) const noexcept;
    // Keeps the larger token of each name that either has.
    TURNSTILE_EXPORT void raise(const fencing_vector& other);

    // "east=0x500000007;west=0x20000000c+3". In names '%', '=', ';' and what is not printable ASCII are
    // written as % and two hexadecimal digits.
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;
    // The same with each token as fencing_token::to_hex() writes it.
    [[nodiscard]] TURNSTILE_EXPORT std::string to_hex() const;
    // The inverse of both; `errc::bad_option` names the text and what is wrong with it.
    [[nodiscard]] TURNSTILE_EXPORT static result<fencing_vector> parse(std::string_view text);

    friend bool operator==(const fencing_vector&, const fencing_vector&) = default;

private:
    std::vector<component> all_;  // sorted by name
};

}  // namespace turnstile
