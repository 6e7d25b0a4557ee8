// SPDX-License-Identifier: Apache-2.0
#include "servers/proxy_connection.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <poll.h>
#include <algorithm>
#include <cerrno>
#include <utility>

namespace turnstile::testing::detail {

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
