// SPDX-License-Identifier: Apache-2.0
#include "servers/proxy_lane.hpp"

#include <algorithm>

namespace turnstile::testing::detail {

namespace {

constexpr std::size_t k_length_size = 4;
// The longest message in bytes. The letters of a four-letter word ("ruok" and others), read as a length, give a larger
// number. So the proxy recognizes these words.
constexpr std::int32_t k_longest_message = 64 * 1024 * 1024;

std::ptrdiff_t offset(std::size_t n) {
    return static_cast<std::ptrdiff_t>(n);
}

}  // namespace

void proxy_lane::receive(std::span<const std::byte> data, proxy_clock::time_point due) {
    input_.insert(input_.end(), data.begin(), data.end());
    while (format_ == format::messages && take_message(due)) {
    }
    if (format_ == format::raw) take_rest(due);
}

void proxy_lane::end(proxy_clock::time_point due) {
    if (ended_) return;
    ended_ = true;
    take_rest(due);
    items_.push_back({unit::end, due, {}});
}

bool proxy_lane::take_message(proxy_clock::time_point due) {
    if (input_.size() < k_length_size) return false;
    const auto length = wire_reader{input_}.int32();
    if (length < 0 || length > k_longest_message) {
        format_ = format::raw;
        return false;
    }
    const auto end = k_length_size + static_cast<std::size_t>(length);
    if (input_.size() < end) return false;
    const auto body = input_.begin() + offset(k_length_size);
    items_.push_back({unit::message, due, {body, input_.begin() + offset(end)}});
    input_.erase(input_.begin(), input_.begin() + offset(end));
    return true;
}

void proxy_lane::take_rest(proxy_clock::time_point due) {
    if (input_.empty()) return;
    items_.push_back({unit::chunk, due, std::move(input_)});
    input_.clear();
}

proxy_lane::item* proxy_lane::front() {
    if (items_.empty() || held() || finished_ || exhausted_) return nullptr;
    return &items_.front();
}

void proxy_lane::release() {
    if (!held()) return;
    items_.front().held = false;
    items_.front().passed = true;
}

void proxy_lane::pass(const item& next, std::optional<std::size_t>& budget) {
    if (next.kind == unit::end) {
        finished_ = true;
        return;
    }
    if (next.kind == unit::message) {
        wire_writer length;
        length.int32(static_cast<std::int32_t>(next.body.size()));
        put(std::as_bytes(std::span{length.text()}), budget);
    }
    put(next.body, budget);
}

void proxy_lane::put(std::span<const std::byte> data, std::optional<std::size_t>& budget) {
    if (exhausted_) return;
    if (budget) {
        data = data.first(std::min(data.size(), *budget));
        *budget -= data.size();
        if (*budget == 0) {
            exhausted_ = true;
            budget.reset();
        }
    }
    output_.insert(output_.end(), data.begin(), data.end());
}

void proxy_lane::consume(std::size_t count) {
    output_.erase(output_.begin(), output_.begin() + offset(count));
}

void proxy_lane::discard() {
    output_.clear();
    items_.clear();
    finished_ = true;
}

}  // namespace turnstile::testing::detail
