// SPDX-License-Identifier: Apache-2.0
#include "admin/http/connection.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

#include "admin/http/limits.hpp"

namespace turnstile::admin {
namespace {

constexpr std::string_view k_last_chunk = "0\r\n\r\n";

std::string chunk(const std::string& part) {
    constexpr int k_hexadecimal = 16;
    std::array<char, 16> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), part.size(), k_hexadecimal);
    return std::string{digits.data(), end.ptr} + "\r\n" + part + "\r\n";
}

}  // namespace

connection::connection(origin from, std::unique_ptr<wire> link, connection_host& host,
                       boost::asio::io_context& loop)
    : from_{std::move(from)},
      link_{std::move(link)},
      host_{host},
      deadline_{loop},
      pace_{loop},
      reader_{{.peer = from_.peer, .here = from_.here, .encrypted = from_.encrypted}} {}

// Runs `step`. If `step` throws, for example because memory is exhausted, closes this connection; the other connections
// continue.
template <class Step>
void connection::safely(const Step& step) {
    if (state_ == state::closed) return;
    try {
        step();
    } catch (const std::exception&) {
        close();
    }
}

template <class Call>
void connection::after(std::chrono::nanoseconds time, Call call) {
    pace_.expires_after(time);
    pace_.async_wait([self = shared_from_this(), call](const auto& error) {
        if (!error) self->safely([&] { call(*self); });
    });
}

void connection::arm(std::chrono::nanoseconds time) {
    deadline_.arm(time, [self = shared_from_this()] { self->close(); });
}

void connection::start() {
    arm(k_request_time);
    link_->open([self = shared_from_this()](bool good) {
        self->safely([&] { good ? self->next_request() : self->close(); });
    });
}

void connection::close() {
    if (state_ == state::closed) return;
    leave_stream();
    state_ = state::closed;
    deadline_.disarm();
    pace_.cancel();
    link_->close();
    host_.forget(*this);
}

void connection::end() {
    if (state_ == state::streaming) return wake();
    if (state_ == state::reading || state_ == state::opening) close();
}

void connection::read() {
    if (std::exchange(is_reading_, true)) return;
    link_->read_some(room_.data(), room_.size(),
                     [self = shared_from_this()](bool good, std::size_t count) {
                         self->is_reading_ = false;
                         self->safely([&] { self->on_read(good, count); });
                     });
}

void connection::on_read(bool good, std::size_t count) {
    if (state_ == state::lingering && good) {
        discarded_ += count;
        return discarded_ > k_most_lingering ? close() : read();
    }
    // Closes the connection if bytes arrive from a client that receives a stream, because such a client must send no
    // further request.
    if (!good || state_ != state::reading) return close();
    take({room_.data(), count});
}

void connection::take(std::string_view bytes) {
    try {
        reader_.put(bytes);
    } catch (const refusal& why) {
        closes_ = true;
        return refuse(why);
    }
    if (reader_.has_begun() && !std::exchange(request_.has_begun, true)) arm(k_request_time);
    if (reader_.has_head() && !request_.is_admitted) return on_head();
    if (reader_.is_whole()) return on_whole();
    read();
}

void connection::on_head() {
    host_.set_idle(*this, false);
    closes_ = reader_.is_last() || ++requests_ == k_most_requests_kept_alive;
    request_.is_http_1_0 = reader_.is_http_1_0();
    request_.wants_head_only = reader_.head().method == "HEAD";
    const auto wait = host_.turn_of(*this);
    if (wait.count() == 0) return admit();
    state_ = state::answering;
    deadline_.disarm();
    after(wait, [](connection& self) { self.admit(); });
}

void connection::admit() {
    try {
        plan_ = host_.admit(reader_.head());
        reader_.expect_body(plan_.largest_body);
    } catch (const refusal& why) {
        closes_ = closes_ || reader_.announces_body();  // the body stays unread
        if (!closes_) static_cast<void>(reader_.take());
        return refuse(why);
    }
    request_.is_admitted = true;
    state_ = state::reading;
    if (reader_.is_whole()) return on_whole();
    arm(k_request_time);
    read();
}

void connection::on_whole() {
    state_ = state::answering;
    deadline_.disarm();
    host_.answer(reader_.take(), plan_, shared_from_this());
}

void connection::refuse(const refusal& why) {
    state_ = state::answering;
    deadline_.disarm();
    give(host_.describe(why));
}

void connection::give(http_response response) {
    safely([&] { begin_answer(std::move(response)); });
}

void connection::begin_answer(http_response response) {
    const bool streams = response.stream != nullptr && !request_.wants_head_only;
    if (streams && !host_.begin_stream(*this))
        return refuse({429, "too_many", "too many pages are open; close some"});
    closes_ = closes_ || host_.is_ending() || streams;
    auto text = head_text(response, host_.common_headers(),
                          {.closes = closes_, .http_1_0 = request_.is_http_1_0});
    if (!request_.wants_head_only && !response.stream) text += response.body;
    if (streams) stream_ = std::move(response.stream);
    send(std::move(text));
}

void connection::send(std::string text) {
    state_ = state::writing;
    out_.begin(std::move(text));
    send_part();
}

void connection::send_part() {
    arm(k_write_time);
    link_->write(out_.next(k_write_part),
                 [self = shared_from_this()](bool good, std::size_t count) {
                     self->safely([&] { good ? self->on_written(count) : self->close(); });
                 });
}

void connection::on_written(std::size_t count) {
    if (!out_.advance(count)) return send_part();
    deadline_.disarm();
    if (stream_) {
        state_ = state::streaming;
        read();  // to notice that the client disconnects
        return next_part();
    }
    if (closes_ || host_.is_ending()) return linger();
    next_request();
}

void connection::next_request() {
    if (host_.is_ending()) return close();
    state_ = state::reading;
    request_ = {};
    host_.set_idle(*this, true);
    arm(k_idle_time);
    take({});
}

void connection::wake() {
    if (state_ == state::streaming) safely([&] { next_part(); });
}

void connection::next_part() {
    const auto part = host_.is_ending() ? std::nullopt : stream_->next();
    if (!part) {
        leave_stream();
        return request_.is_http_1_0 ? linger() : send(std::string{k_last_chunk});
    }
    if (!part->empty()) return send(request_.is_http_1_0 ? *part : chunk(*part));
    after(k_stream_tick, [](connection& self) { self.wake(); });
}

void connection::leave_stream() {
    if (!stream_) return;
    stream_.reset();
    host_.end_stream(*this);
}

void connection::linger() {
    state_ = state::lingering;
    arm(k_linger_time);
    link_->finish(
        [self = shared_from_this()](bool /*good*/) { self->safely([&] { self->read(); }); });
}

}  // namespace turnstile::admin
