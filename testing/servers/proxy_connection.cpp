// SPDX-License-Identifier: Apache-2.0
#include "servers/proxy_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

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

proxy_connection::proxy_connection(std::uint64_t number, support::descriptor client,
                                   support::descriptor server, traffic carried)
    : number_{number} {
    ends_[0].socket = std::move(client);
    ends_[1].socket = std::move(server);
    if (carried == traffic::zookeeper) return;
    for (auto& lane : lanes_) lane.set_raw();
}

std::optional<proxy_clock::time_point> proxy_connection::pump(proxy_settings& settings) {
    if (stranded_) return std::nullopt;
    if (connecting_) finish_connecting();
    std::optional<proxy_clock::time_point> next;
    for (const auto way : {direction::to_server, direction::to_client}) {
        const auto lane = index(way);
        if (lane == 0 || !connecting_) read(lane, settings);
        const auto due = pass(way, settings);
        if (due) next = next ? std::min(*next, *due) : *due;
        if (!connecting_ && !cut_) write(lane);
    }
    return next;
}

bool proxy_connection::over() const {
    return cut_ || std::all_of(ends_.begin(), ends_.end(),
                               [](const end& side) { return side.writable_side_closed; });
}

void proxy_connection::release_held() {
    for (auto& lane : lanes_) lane.release();
}

std::size_t proxy_connection::held() const {
    return static_cast<std::size_t>(
        std::count_if(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane.held(); }));
}

std::uint32_t proxy_connection::interest(std::size_t i) const {
    if (stranded_) return 0;
    const auto& incoming = lanes_.at(1 - i);
    std::uint32_t events = 0;
    if (!lanes_.at(i).ended() && !(i == 1 && connecting_)) events |= EPOLLIN;
    if ((i == 1 && connecting_) || !incoming.output().empty()) events |= EPOLLOUT;
    return events;
}

void proxy_connection::finish_connecting() {
    pollfd polled{server(), POLLOUT, 0};
    if (::poll(&polled, 1, 0) <= 0) return;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(server(), SOL_SOCKET, SO_ERROR, &error, &size);
    connecting_ = false;
    if (error != 0) cut_ = true;
}

void proxy_connection::read(std::size_t i, proxy_settings& settings) {
    auto& lane = lanes_.at(i);
    const auto due = proxy_clock::now() + settings.ways.at(i).delay;
    std::array<std::byte, 64 * 1024> chunk;
    while (!lane.ended()) {
        const auto got = ::recv(ends_.at(i).socket.get(), chunk.data(), chunk.size(), 0);
        if (got > 0) {
            lane.receive(std::span{chunk}.first(static_cast<std::size_t>(got)), due);
            // A four-letter word (an admin command such as "ruok") and its answer have no length field. So both
            // directions then forward bytes without searching for messages.
            if (i == 0 && lane.stream() == proxy_lane::format::raw) lanes_[1].set_raw();
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            lane.end(due);
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

std::optional<proxy_clock::time_point> proxy_connection::pass(direction way,
                                                              proxy_settings& settings) {
    auto& lane = lanes_.at(index(way));
    while (auto* const item = lane.front()) {
        // The filter may cut the connection or change its settings, so the loop checks both for each item.
        if (cut_ || settings.of(way).black_hole) return std::nullopt;
        if (item->due > proxy_clock::now()) return item->due;
        if (pass_one(way, *item, settings) == passage::waits) return std::nullopt;
    }
    return std::nullopt;
}

proxy_connection::passage proxy_connection::pass_one(direction way, proxy_lane::item& item,
                                                     proxy_settings& settings) {
    auto& lane = lanes_.at(index(way));
    const bool ask_filter = item.kind == proxy_lane::unit::message && !item.passed;
    const verdict answer = ask_filter ? ask(way, item, settings) : verdict::forward;
    switch (answer) {
        case verdict::cut_connection: cut_ = true; return passage::waits;
        case verdict::hold: item.held = true; return passage::waits;
        case verdict::forward: lane.pass(item, settings.of(way).bytes_left); break;
        case verdict::drop: break;
    }
    lane.pop();
    return passage::moved;
}

verdict proxy_connection::ask(direction way, proxy_lane::item& item, proxy_settings& settings) {
    frame message = classify(way, std::move(item.body), settings);
    const auto filter = settings.of(way).filter;  // a copy, because the filter may replace itself
    verdict answer = verdict::forward;
    if (filter) {
        try {
            answer = (*filter)(message);
        } catch (...) {
            answer = verdict::cut_connection;
        }
    }
    item.body.assign(message.body().begin(), message.body().end());
    return answer;
}

frame proxy_connection::classify(direction way, bytes body, proxy_settings& settings) {
    constexpr std::int32_t k_watch_event = -1;
    frame_kind kind = frame_kind::handshake;
    std::int32_t op = 0;
    if (std::exchange(greeted_.at(index(way)), true)) {
        wire_reader in{body};
        const auto xid = in.int32();
        if (way == direction::to_server) {
            kind = frame_kind::request;
            op = in.int32();
            unanswered_.push_back({xid, op});
            ++settings.requests[op];
        } else if (xid == k_watch_event) {
            kind = frame_kind::watch_event;
            ++settings.watch_events;
        } else {
            kind = frame_kind::reply;
            op = answered_request(xid);
        }
    }
    return {way, kind, number_, op, std::move(body)};
}

std::int32_t proxy_connection::answered_request(std::int32_t xid) {
    const auto found = std::find_if(unanswered_.begin(), unanswered_.end(),
                                    [&](const sent_request& r) { return r.xid == xid; });
    if (found == unanswered_.end()) return 0;
    const auto op = found->op;
    unanswered_.erase(found);
    return op;
}

void proxy_connection::write(std::size_t i) {
    auto& lane = lanes_.at(i);
    auto& to = ends_.at(1 - i);
    while (!lane.output().empty()) {
        const auto data = lane.output();
        const auto sent = ::send(to.socket.get(), data.data(), data.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            lane.consume(static_cast<std::size_t>(sent));
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            lane.discard();
        }
    }
    if (lane.exhausted()) cut_ = true;
    if (lane.finished() && !std::exchange(to.writable_side_closed, true)) {
        ::shutdown(to.socket.get(), SHUT_WR);
    }
}

}  // namespace turnstile::testing::detail
