// SPDX-License-Identifier: Apache-2.0
// reply_bound: limits the memory that a server's reply can make the client allocate. It limits the reply's bytes and
// the elements that the server announces for arrays. hiredis allocates a whole array before the first element arrives,
// so a reply of twelve bytes could otherwise allocate gigabytes.
//
//     reply_bound bound{*context->reader};
//     bound.allow(1'000'000);      // bytes
//     bound.begin();               // the next reply
//
// If a reply's arrays exceed the limit, hiredis reports exhausted memory, and is_exceeded() is true. After a real lack
// of memory, is_exceeded() is false.
//
// Thread safety: none. The reader keeps the address of this object. Do not use the reader after this object is
// destroyed.
#pragma once

#include <hiredis/read.h>

#include <algorithm>
#include <cstddef>

namespace turnstile::redis {

class reply_bound {
public:
    // The largest number of bytes in a reply: before the handshake has succeeded, and afterwards.
    static constexpr std::size_t k_longest_greeting = std::size_t{1} << 20U;
    static constexpr std::size_t k_longest_reply = std::size_t{256} << 20U;

    explicit reply_bound(redisReader& reader) noexcept;
    reply_bound(const reply_bound&) = delete;
    reply_bound& operator=(const reply_bound&) = delete;

    // Sets the limit of each later reply, and calls begin().
    void allow(std::size_t bytes) noexcept {
        longest_ = bytes;
        begin();
    }
    // Begins to count the bytes and the array elements of the next reply. Call this before each reply.
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
