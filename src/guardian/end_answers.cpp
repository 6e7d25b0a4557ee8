// SPDX-License-Identifier: Apache-2.0
#include "guardian/end_answers.hpp"

#include <endian.h>

#include <algorithm>
#include <cstring>

namespace turnstile::guardian {
namespace {

constexpr std::size_t k_length_bytes = 4;
constexpr std::size_t k_shortest_frame = 16;                  // the shorter of the two answers
constexpr std::size_t k_most_bytes = std::size_t{64} << 10U;  // in one connection

std::int32_t int_at(std::span<const std::byte> bytes, std::size_t place) {
    std::uint32_t big = 0;
    std::memcpy(&big, bytes.subspan(place, sizeof big).data(), sizeof big);
    return static_cast<std::int32_t>(::be32toh(big));
}

}  // namespace

void end_answers::restart() noexcept {
    attached_ = false;
    token_request_ = 0;
    received_ = 0;
    total_ = 0;
}

std::span<std::byte> end_answers::room() noexcept {
    return std::span{in_}.subspan(received_);
}

end_answers::step end_answers::take(std::size_t count) {
    received_ += count;
    total_ += count;
    if (total_ > k_most_bytes) return step::broken;
    auto told = step::wait;
    while (received_ >= k_length_bytes) {
        const auto bytes = std::span<const std::byte>{in_}.first(received_);
        const std::int32_t length = int_at(bytes, 0);
        if (length < 0 || static_cast<std::size_t>(length) > k_longest_frame - k_length_bytes)
            return step::broken;
        const auto whole = k_length_bytes + static_cast<std::size_t>(length);
        if (received_ < whole) return told;
        const auto next = judge(bytes.subspan(k_length_bytes, whole - k_length_bytes));
        if (next == step::over || next == step::broken) return next;
        if (next == step::close || next == step::token) told = next;
        std::memmove(in_.data(), in_.data() + whole, received_ - whole);
        received_ -= whole;
    }
    return told;
}

void end_answers::wipe() noexcept {
    ::explicit_bzero(in_.data(), in_.size());
}

end_answers::step end_answers::judge(std::span<const std::byte> frame) {
    if (frame.size() < k_shortest_frame) return step::broken;
    if (!attached_) {
        // The answer to the attach: version, timeout, session. A timeout of zero means that the session has ended.
        if (int_at(frame, 4) <= 0) return step::over;
        attached_ = true;
        return step::close;
    }
    // An answer begins with the request's id, the transaction and the error. Skips the answers to other requests.
    const auto request = int_at(frame, 0);
    if (token_request_ != 0 && request == token_request_) return read_token(frame);
    if (request != k_close_id) return step::wait;
    return int_at(frame, 12) == 0 ? step::over : step::broken;
}

// The answer contains the token as its length (-1: none) and its bytes.
end_answers::step end_answers::read_token(std::span<const std::byte> frame) {
    constexpr std::size_t k_head = 16;
    token_request_ = 0;
    if (int_at(frame, 12) != 0 || frame.size() < k_head + k_length_bytes) return step::broken;
    const auto bytes = frame.subspan(k_head + k_length_bytes);
    const auto length = int_at(frame, k_head);
    if (length > 0 && static_cast<std::size_t>(length) > bytes.size()) return step::broken;
    token_.assign(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::size_t>(std::max(length, 0)));
    return step::token;
}

}  // namespace turnstile::guardian
