// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_words.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <list>

#include "base/descriptor.hpp"

namespace turnstile::zookeeper {
namespace {

// One question to one server, over a connection of its own.
class conversation {
public:
    conversation(const socket_address& server, std::string_view question, std::size_t longest)
        : socket_{::socket(server.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                           0)},
          question_{question},
          longest_{longest} {
        const auto* address = reinterpret_cast<const sockaddr*>(&server.storage);
        if (!socket_.open()) {
            fail(errno);
        } else if (::connect(socket_.get(), address, server.length) == 0) {
            ask();
        } else if (errno != EINPROGRESS) {
            fail(errno);
        }
    }

    [[nodiscard]] bool over() const noexcept { return over_; }
    [[nodiscard]] const word_answer& answer() const noexcept { return answer_; }
    [[nodiscard]] pollfd wish() const noexcept {
        return {socket_.get(), static_cast<short>(answer_.connected ? POLLIN : POLLOUT), 0};
    }

    // The socket is ready for what was wished.
    void go_on() {
        if (answer_.connected) return read();
        int failure = 0;
        socklen_t size = sizeof failure;
        if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &failure, &size) != 0)
            failure = errno;
        if (failure != 0) return fail(failure);
        ask();
    }

private:
    void fail(int error) {
        answer_.failure = error;
        end();
    }

    // Four bytes always fit into an empty send buffer.
    void ask() {
        answer_.connected = true;
        if (::send(socket_.get(), question_.data(), question_.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(question_.size()))
            end();
    }

    // Until the server closes the connection.
    void read() {
        std::array<char, 4096> buffer{};
        const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
        if (n > 0) answer_.text.append(buffer.data(), static_cast<std::size_t>(n));
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN) ||
            answer_.text.size() >= longest_) {
            answer_.whole = true;
            end();
        }
    }

    void end() {
        answer_.took = boottime_clock::now() - began_;
        over_ = true;
    }

    base::descriptor socket_;
    std::string_view question_;
    std::size_t longest_;
    const boottime_clock::time_point began_ = boottime_clock::now();
    bool over_ = false;
    word_answer answer_;
};

// poll() counts milliseconds in an int; a wait that is longer has several of them.
constexpr std::chrono::milliseconds k_longest_poll = std::chrono::hours{1};

// Until all are over, `enough` says so of one that is, the time is up, or `give_up` is readable.
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
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - boottime_clock::now());
        if (left.count() <= 0) return;
        const auto part = std::min(left, k_longest_poll);
        const int ready = ::poll(wishes.data(), wishes.size(), static_cast<int>(part.count()));
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
