// SPDX-License-Identifier: Apache-2.0
// array_bound: bounds the number of elements that a server announces. hiredis allocates an array before its elements
// arrive: without a bound, twelve bytes of a reply could take gigabytes.
//
//     array_bound bound{*context->reader};
//     bound.allow(1'000);                 // for the arrays of the next reply together
//
// Beyond the bound hiredis reports exhausted memory; is_exceeded() distinguishes the two.
//
// Thread safety: none; the reader holds its address, and must not be used after its end.
#pragma once

#include <hiredis/read.h>

#include <cstddef>

namespace turnstile::redis {

class array_bound {
public:
    explicit array_bound(redisReader& reader) noexcept;
    array_bound(const array_bound&) = delete;
    array_bound& operator=(const array_bound&) = delete;

    void allow(std::size_t elements) noexcept { left_ = elements; }
    [[nodiscard]] bool is_exceeded() const noexcept { return exceeded_; }

private:
    // hiredis counts elements in int, later releases in size_t.
    template <class Count>
    static void* make(const redisReadTask* task, Count elements) noexcept;

    redisReplyObjectFunctions functions_;
    decltype(redisReplyObjectFunctions::createArray) make_;
    std::size_t left_ = 0;
    bool exceeded_ = false;
};

}  // namespace turnstile::redis
