// SPDX-License-Identifier: Apache-2.0
// connection: handles a client's connection: its requests one after another, their answers, and the deadlines of
// requests and answers.
//
// | state     | what happens                                          | limit of the state                           |
// |-----------|-------------------------------------------------------|----------------------------------------------|
// | opening   | client and server make the TLS handshake              | k_request_time                               |
// | reading   | the connection receives a request                     | k_idle_time to the first byte, then          |
// |           |                                                       | k_request_time for the head, and again for   |
// |           |                                                       | the body                                     |
// | answering | the request waits for its turn (rate limit) or for    | none                                         |
// |           | the service's answer                                  |                                              |
// | writing   | the connection sends the answer or a stream's part    | k_write_time for each k_write_part           |
// | streaming | the connection waits for the stream's next part       | none                                         |
// | lingering | the connection discards bytes that arrive after the   | k_linger_time and k_most_lingering           |
// |           | last answer, because a reset could destroy the answer |                                              |
// | closed    | nothing                                               | none                                         |
//
// When a limit is reached, the connection closes.
//
//     connection_host    what a connection calls in its server
//     outgoing_text      a text that the connection sends in parts
//     movable_deadline   a deadline that the connection can move
//
// Thread safety: the loop's thread.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "admin/http/request_reader.hpp"
#include "admin/http/service.hpp"
#include "admin/http/wire.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::admin {

class connection;

class connection_host {
public:
    connection_host() = default;
    virtual ~connection_host() = default;
    connection_host(const connection_host&) = delete;
    connection_host& operator=(const connection_host&) = delete;

    // Counts a request for the rate limit. Returns how long the request must wait.
    [[nodiscard]] virtual boottime_clock::duration turn_of(const connection& from) = 0;
    // Asks first the server and then the service to accept the request. Throws refusal if the server or the service
    // refuses the request.
    [[nodiscard]] virtual http_plan admit(const http_request& head) = 0;
    // Answers the request by a call of give(), perhaps before answer() returns.
    virtual void answer(http_request request, const http_plan& plan,
                        std::shared_ptr<connection> to) = 0;
    [[nodiscard]] virtual http_response describe(const refusal& why) = 0;
    [[nodiscard]] virtual const std::vector<http_header>& common_headers() const = 0;
    // Counts a new stream to the client. Returns false if the limit of streams is reached.
    [[nodiscard]] virtual bool begin_stream(const connection& from) = 0;
    virtual void end_stream(const connection& from) = 0;
    virtual void set_idle(const connection& which, bool idle) = 0;
    virtual void forget(const connection& which) = 0;
    [[nodiscard]] virtual bool is_ending() const = 0;
};

// A text that the connection sends in parts.
class outgoing_text {
public:
    void begin(std::string text) {
        text_ = std::move(text);
        sent_ = 0;
    }
    [[nodiscard]] std::string_view next(std::size_t most) const {
        return std::string_view{text_}.substr(sent_, most);
    }
    // Records that `count` bytes were sent. Returns true after the last part.
    [[nodiscard]] bool advance(std::size_t count) {
        sent_ += count;
        if (sent_ != text_.size()) return false;
        text_ = {};
        return true;
    }

private:
    std::string text_;
    std::size_t sent_ = 0;
};

// A deadline that can be moved. A timer of an earlier deadline may still expire, but has no effect.
class movable_deadline {
public:
    explicit movable_deadline(boost::asio::io_context& loop) : timer_{loop} {}
    // Calls `call` when `time` has passed, unless arm() or disarm() is called before. `call` must keep the owner of
    // this object alive.
    template <class Call>
    void arm(std::chrono::nanoseconds time, Call call) {
        timer_.expires_after(time);
        timer_.async_wait([this, call, number = ++armed_](const auto& error) {
            if (!error && number == armed_) call();
        });
    }
    void disarm() {
        ++armed_;
        timer_.cancel();
    }

private:
    boost::asio::steady_timer timer_;
    std::uint64_t armed_ = 0;  // the present deadline's number
};

class connection : public std::enable_shared_from_this<connection> {
public:
    struct origin {
        std::uint64_t id = 0;
        std::string key{};  // the peer_key() of its address
        std::string peer{};
        listen_address here{};
        bool encrypted = false;
    };
    connection(origin from, std::unique_ptr<wire> link, connection_host& host,
               boost::asio::io_context& loop);

    [[nodiscard]] const origin& from() const noexcept { return from_; }

    void start();
    // Sends `response`, the answer to the request that the connection has given to `host`.
    void give(http_response response);
    // Asks the connection's stream for its next part, and sends it. Call this when the stream may have a further part.
    void wake();
    // Closes the connection after the answer in progress, if any.
    void end();
    // Closes the connection at once, even if a request has no answer.
    void close();

private:
    struct request_state {
        bool has_begun = false;  // the request's first byte has arrived
        bool is_admitted = false;
        bool wants_head_only = false;
        bool is_http_1_0 = false;
    };
    enum class state { opening, reading, answering, writing, streaming, lingering, closed };

    void read();
    void on_read(bool good, std::size_t count);
    void take(std::string_view bytes);
    void on_head();
    void admit();
    void on_whole();
    void refuse(const refusal& why);
    void begin_answer(http_response response);
    void send(std::string text);
    void send_part();
    void on_written(std::size_t count);
    void next_request();
    void next_part();
    void leave_stream();
    void linger();
    void arm(std::chrono::nanoseconds time);
    template <class Step>
    void safely(const Step& step);
    template <class Call>
    void after(std::chrono::nanoseconds time, Call call);

    const origin from_;
    const std::unique_ptr<wire> link_;
    connection_host& host_;
    movable_deadline deadline_;
    boost::asio::steady_timer pace_;  // waits for turns, and for ticks of a stream
    std::array<char, 4'096> room_{};
    request_reader reader_;
    http_plan plan_{};
    state state_ = state::opening;
    bool is_reading_ = false;  // read_some() is in progress
    bool closes_ = false;
    request_state request_;
    std::size_t requests_ = 0;
    outgoing_text out_;
    std::size_t discarded_ = 0;
    std::unique_ptr<http_stream> stream_;
};

}  // namespace turnstile::admin
