// SPDX-License-Identifier: Apache-2.0
// array_bound: limits the number of elements that a server announces for an array. hiredis allocates memory for the
// whole array before the first element arrives. Without a limit, a reply of twelve bytes could make hiredis allocate
// gigabytes.
//
//     array_bound bound{*context->reader};
//     bound.allow(1'000);                 // for all arrays of the next reply together
//
// If a reply exceeds the limit, hiredis reports exhausted memory. is_exceeded() is true only in that case.
//
// Thread safety: none. The reader keeps the address of the array_bound: do not use the reader after the array_bound's
// end.
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
    // hiredis passes the number of elements as int, and in later releases as size_t.
    template <class Count>
    static void* make(const redisReadTask* task, Count elements) noexcept;

    redisReplyObjectFunctions functions_;
    decltype(redisReplyObjectFunctions::createArray) make_;
    std::size_t left_ = 0;
    bool exceeded_ = false;
};

}  // namespace turnstile::redis
