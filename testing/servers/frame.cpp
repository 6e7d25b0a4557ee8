// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/frame.hpp"

#include <stdexcept>

#include "servers/wire.hpp"

namespace turnstile::testing {

using detail::wire_reader;

namespace {

// A request's header has xid and opcode. A reply's header has xid, zxid and error.
constexpr std::size_t k_request_header = 8;
constexpr std::size_t k_reply_header = 16;
// Each operation of a multi has a header: its type, an end mark, an error.
constexpr std::size_t k_multi_header = 9;

bool starts_with_path(std::int32_t op) {
    switch (op) {
        case opcode::close_session:
        case opcode::ping:
        case opcode::auth:
        case opcode::set_watches:
        case opcode::set_watches2: return false;
        default: return true;
    }
}

}  // namespace

std::int32_t frame::xid() const {
    return kind_ == frame_kind::handshake ? 0 : wire_reader{body_}.int32();
}

std::int64_t frame::zxid() const {
    const bool has_one = kind_ == frame_kind::reply || kind_ == frame_kind::watch_event;
    return has_one ? wire_reader{body_}.skip(4).int64() : 0;
}

std::int32_t frame::error() const {
    return kind_ == frame_kind::reply ? wire_reader{body_}.skip(12).int32() : 0;
}

std::string frame::path() const {
    wire_reader in{body_};
    if (kind_ == frame_kind::watch_event) {
        return in.skip(k_reply_header + 8).string();  // after the event's type and state
    }
    if (kind_ != frame_kind::request || !starts_with_path(opcode_)) return {};
    in.skip(k_request_header);
    if (opcode_ == opcode::multi) in.skip(k_multi_header);
    return in.string();
}

std::int64_t frame::session_id() const {
    if (kind_ != frame_kind::handshake) return 0;
    wire_reader in{body_};
    // Skips the version, the last zxid seen (a field that only the client sends), and the timeout.
    return in.skip(way_ == direction::to_server ? 16 : 8).int64();
}

void frame::rewrite_opcode(std::int32_t op) {
    if (kind_ != frame_kind::request || body_.size() < k_request_header) {
        throw std::logic_error{"only a request has an opcode to rewrite"};
    }
    for (std::size_t i = 0; i < 4; ++i) {
        body_[4 + i] = static_cast<std::byte>(static_cast<std::uint32_t>(op) >> (24 - 8 * i));
    }
}

}  // namespace turnstile::testing
