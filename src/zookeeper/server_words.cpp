// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_words.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <list>
#include <memory>
#include <utility>

#include "support/descriptor.hpp"
#include "support/poll_time.hpp"
#include "zookeeper/security.hpp"

namespace turnstile::zookeeper {
namespace {

// Asks one server a four-letter word, over a separate connection.
class conversation {
public:
    conversation(const socket_address& server, std::string_view question, std::size_t longest)
        : server_{server},
          socket_{
              ::socket(server.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)},
          question_{question},
          longest_{longest} {
        const auto* address = reinterpret_cast<const sockaddr*>(&server.storage);
        if (!socket_.open()) {
            fail(errno);
        } else if (::connect(socket_.get(), address, server.length) == 0) {
            connected();
        } else if (errno != EINPROGRESS) {
            fail(errno);
        }
    }

    [[nodiscard]] bool over() const noexcept { return stage_ == stage::over; }
    [[nodiscard]] const word_answer& answer() const noexcept { return answer_; }
    [[nodiscard]] pollfd wish() const noexcept { return {socket_.get(), awaited_, 0}; }

    void go_on() {
        switch (stage_) {
            case stage::connecting: return settle_connection();
            case stage::securing: return secure();
            case stage::reading: return read();
            case stage::over: return;
        }
    }

private:
    enum class stage { connecting, securing, reading, over };

    void fail(int error) {
        answer_.failure = error;
        end();
    }

    void settle_connection() {
        int failure = 0;
        socklen_t size = sizeof failure;
        if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &failure, &size) != 0)
            failure = errno;
        if (failure != 0) return fail(failure);
        connected();
    }

    void connected() {
        answer_.connected = true;
        if (!server_.security) return ask();
        context_ = context_for(*server_.security);
        if (!context_.value) return distrust(context_.fault);
        secured_ = context_.value->open(socket_.get(), server_.host);
        stage_ = stage::securing;
        secure();
    }

    void secure() {
        switch (secured_->go_on()) {
            case tls::handshake_step::done: return ask();
            case tls::handshake_step::failed: return distrust(secured_->reason());
            case tls::handshake_step::wants_to_read: awaited_ = POLLIN; return;
            case tls::handshake_step::wants_to_write: awaited_ = POLLOUT; return;
        }
    }

    void distrust(std::string why) {
        answer_.fault = std::move(why);
        end();
    }

    // Sends the word. The four bytes always fit into an empty send buffer.
    void ask() {
        stage_ = stage::reading;
        awaited_ = POLLIN;
        const auto sent =
            secured_ ? secured_->write(question_)
                     : ::send(socket_.get(), question_.data(), question_.size(), MSG_NOSIGNAL);
        if (sent != static_cast<ssize_t>(question_.size())) return end();
        // The server's answer may have come together with the last message of its TLS handshake.
        if (secured_) read();
    }

    // Reads until the server closes the connection.
    void read() {
        std::array<char, 4096> buffer{};
        for (bool more = true; more && !over();) {
            const auto n = receive(buffer);
            more = n > 0 && secured_ != nullptr;  // poll() does not see OpenSSL's buffer
            if (n > 0) answer_.text.append(buffer.data(), static_cast<std::size_t>(n));
            if (n < 0 || answer_.text.size() >= longest_) {
                answer_.whole = true;
                // With TLS 1.3, a server may refuse the client's certificate after the handshake. Then the connection
                // ends without an answer.
                if (answer_.text.empty() && secured_ && secured_->is_refused())
                    answer_.fault = secured_->reason();
                end();
            }
        }
    }

    // Returns the number of bytes read; 0 if none has arrived yet; negative if the connection has ended.
    std::ptrdiff_t receive(std::array<char, 4096>& into) {
        if (secured_) return secured_->read(into.data(), into.size());
        const auto n = ::recv(socket_.get(), into.data(), into.size(), 0);
        if (n > 0) return n;
        return n < 0 && (errno == EINTR || errno == EAGAIN) ? 0 : -1;
    }

    void end() {
        answer_.took = boottime_clock::now() - began_;
        stage_ = stage::over;
    }

    const socket_address server_;
    support::descriptor socket_;
    std::string_view question_;
    std::size_t longest_;
    const boottime_clock::time_point began_ = boottime_clock::now();
    stage stage_ = stage::connecting;
    short awaited_ = POLLOUT;
    tls::context_outcome context_;
    std::unique_ptr<tls::stream> secured_;
    word_answer answer_;
};

// Runs until all conversations have ended, `enough` accepts an answer, the time has passed, or `give_up` is readable.
void converse(std::list<conversation>& all, int give_up, core::duration limit,
              const std::function<bool(const word_answer&)>& enough) {
    const auto deadline = boottime_clock::now() + limit;
    for (;;) {
        std::vector<pollfd> wishes{{give_up, POLLIN, 0}};
        for (const auto& each : all) {
            if (each.over() && enough(each.answer())) return;
            wishes.push_back(each.over() ? pollfd{-1, 0, 0} : each.wish());
        }
        if (std::all_of(all.begin(), all.end(), [](const auto& each) { return each.over(); }))
            return;
        const int left = support::milliseconds_until(deadline);
        if (left == 0) return;
        const int ready = ::poll(wishes.data(), wishes.size(), left);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        if (ready < 0 || wishes[0].revents != 0) return;
        auto wish = std::next(wishes.begin());
        for (auto& each : all)
            if ((wish++)->revents != 0) each.go_on();
    }
}

}  // namespace

std::vector<word_answer> ask_servers(const std::vector<socket_address>& servers,
                                     std::string_view word, int give_up, core::duration limit,
                                     const std::function<bool(const word_answer&)>& enough,
                                     std::size_t longest) {
    std::list<conversation> all;
    for (const auto& server : servers) all.emplace_back(server, word, longest);
    converse(all, give_up, limit, enough);
    std::vector<word_answer> answers;
    for (const auto& each : all) answers.push_back(each.answer());
    return answers;
}

std::string ask_server(const socket_address& server, std::string_view word, int give_up,
                       core::duration limit) {
    if (server.length == 0) return {};
    const auto any = [](const word_answer&) { return true; };
    const auto answer = ask_servers({server}, word, give_up, limit, any).front();
    return answer.whole ? answer.text : std::string{};
}

}  // namespace turnstile::zookeeper
