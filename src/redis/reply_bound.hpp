// SPDX-License-Identifier: Apache-2.0
// reply_bound: limits the bytes of a server's reply, and the number of elements that the server announces for arrays. So
// the server does not decide how much memory the client allocates. hiredis allocates memory for a whole array before the
// first element arrives. Without a limit, a reply of twelve bytes could make hiredis allocate gigabytes.
//
//     reply_bound bound{*context->reader};
//     bound.allow(1'000'000);      // bytes
//     bound.begin();               // the next reply
//
// If the arrays of a reply exceed the limit, hiredis reports exhausted memory. is_exceeded() is true only in that case.
//
// Thread safety: none. The reader keeps the address of the reply_bound: do not use the reader after the reply_bound's
// end.
#pragma once

#include <hiredis/read.h>

#include <algorithm>
#include <cstddef>

namespace turnstile::redis {

class reply_bound {
public:
    // In bytes: before the server has passed the handshake, and then.
    static constexpr std::size_t k_longest_greeting = std::size_t{1} << 20U;
    static constexpr std::size_t k_longest_reply = std::size_t{256} << 20U;

    explicit reply_bound(redisReader& reader) noexcept;
    reply_bound(const reply_bound&) = delete;
    reply_bound& operator=(const reply_bound&) = delete;

    // Sets the limit for the next replies, and begins the next reply.
    void allow(std::size_t bytes) noexcept {
        longest_ = bytes;
        begin();
    }
    // Memory for the reply's arrays counts like received bytes.
    void begin() noexcept {
        bytes_ = longest_;
        elements_ = longest_ / sizeof(void*);
    }
    // Counts received bytes. Returns false if the reply is too long.
    [[nodiscard]] bool count(std::size_t bytes) noexcept {
        const bool fits = bytes <= bytes_;
        bytes_ -= std::min(bytes, bytes_);
        return fits;
    }
    [[nodiscard]] bool is_exceeded() const noexcept { return exceeded_; }

private:
    // hiredis passes the number of elements as int, and in later releases as size_t.
    template <class Count>
    static void* make(const redisReadTask* task, Count elements) noexcept;

    redisReplyObjectFunctions functions_;
    decltype(redisReplyObjectFunctions::createArray) make_;
    std::size_t longest_ = k_longest_greeting;
    std::size_t bytes_ = longest_;  // left for the reply
    std::size_t elements_ = longest_ / sizeof(void*);
    bool exceeded_ = false;
};

}  // namespace turnstile::redis
