// SPDX-License-Identifier: Apache-2.0
// What the tests of the admin page share: `turnstile serve` as a process on a real server, and requests as bytes.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "guardian/descriptor.hpp"
#include "support.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {

using words = std::vector<std::string>;
using json = nlohmann::json;

struct http_answer {
    int status = 0;  // 0: the connection was closed without an answer
    std::string head;
    std::string body;

    [[nodiscard]] json value() const { return json::parse(body, nullptr, false); }
    [[nodiscard]] std::string code() const {
        const auto said = value();
        return said.is_object() && said.contains("error") ? said["error"]["code"].get<std::string>()
                                                          : "";
    }
    // Of a header; empty if it is not there.
    [[nodiscard]] std::string header(const std::string& name) const {
        const auto at = head.find("\r\n" + name + ": ");
        if (at == std::string::npos) return {};
        const auto begin = at + name.size() + 4;
        return head.substr(begin, head.find("\r\n", begin) - begin);
    }
};

// One connection to a server on loopback.
class http_link {
public:
    explicit http_link(std::uint16_t port)
        : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(
            ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            0);
    }
    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;  // the server has had enough
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    // No more will be sent.
    void finish() const { ::shutdown(socket_.get(), SHUT_WR); }
    // More of the answer; empty at its end, or if none comes in time.
    [[nodiscard]] std::string receive() const {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit());
        pollfd wish{socket_.get(), POLLIN, 0};
        if (::poll(&wish, 1, static_cast<int>(left.count())) <= 0) return {};
        std::array<char, 65'536> room{};
        const auto count = ::recv(socket_.get(), room.data(), room.size(), 0);
        return count <= 0 ? std::string{}
                          : std::string{room.data(), static_cast<std::size_t>(count)};
    }
    // Whether the server has ended the connection; what it sent before is thrown away.
    [[nodiscard]] bool is_over() const {
        std::array<char, 65'536> room{};
        for (;;) {
            const auto count = ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
            if (count == 0 || (count < 0 && errno != EAGAIN)) return true;
            if (count < 0) return false;
        }
    }
    // Until `text` has come, or the end.
    [[nodiscard]] bool receive_until(const std::string& text) {
        while (received_.find(text) == std::string::npos) {
            const auto more = receive();
            if (more.empty()) return false;
            received_ += more;
        }
        received_.erase(0, received_.find(text) + text.size());
        return true;
    }
    [[nodiscard]] http_answer whole_answer() const {
        std::string all;
        for (auto more = receive(); !more.empty(); more = receive()) all += more;
        http_answer answer;
        const auto end = all.find("\r\n\r\n");
        if (end == std::string::npos) return answer;
        answer.head = all.substr(0, end + 2);
        answer.body = all.substr(end + 4);
        answer.status = std::atoi(all.substr(all.find(' ') + 1, 3).c_str());
        return answer;
    }

private:
    guardian::descriptor socket_;
    std::string received_;
};

// What goes with a request.
struct request_parts {
    std::string headers{};              // whole lines, with their ends
    std::optional<std::string> body{};  // JSON; makes it a POST
    std::optional<std::string> host{};  // in place of the right one
    std::string origin{};
};

class admin_page {
public:
    admin_page(const std::string& servers, const words& options, const std::filesystem::path& log)
        : process_{{.command = command(options),
                    .environment = {"TURNSTILE_SERVERS=" + servers},
                    .output = log}} {
        EXPECT_TRUE(process_.wait_for_output("/\n")) << process_.output();
        const auto text = process_.output();
        const auto colon = text.rfind(':');
        if (colon != std::string::npos)
            port_ = static_cast<std::uint16_t>(std::atoi(text.c_str() + colon + 1));
    }
    [[nodiscard]] http_link link() const { return http_link{port_}; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] testing::process& process() noexcept { return process_; }
    [[nodiscard]] std::string name() const { return "127.0.0.1:" + std::to_string(port_); }

    [[nodiscard]] std::string request(const std::string& target,
                                      const request_parts& parts = {}) const {
        std::string text = (parts.body ? "POST " : "GET ") + target +
                           " HTTP/1.1\r\nHost: " + parts.host.value_or(name()) +
                           "\r\nConnection: close\r\n" + parts.headers;
        if (!parts.origin.empty()) text += "Origin: " + parts.origin + "\r\n";
        if (parts.body)
            text += "Content-Type: application/json\r\nContent-Length: " +
                    std::to_string(parts.body->size()) + "\r\n";
        return text + "\r\n" + parts.body.value_or("");
    }
    [[nodiscard]] http_answer ask(const std::string& target,
                                  const request_parts& parts = {}) const {
        return ask_raw(request(target, parts));
    }
    [[nodiscard]] http_answer ask_raw(const std::string& bytes) const {
        const auto to = link();
        to.send(bytes);
        return to.whole_answer();
    }

private:
    static words command(const words& options) {
        words all{TURNSTILE_PROGRAM, "serve", "--listen", "127.0.0.1:0", "--refresh", "100ms"};
        all.insert(all.end(), options.begin(), options.end());
        return all;
    }

    testing::process process_;
    std::uint16_t port_ = 0;
};

class admin : public ::testing::Test {
protected:
    [[nodiscard]] admin_page start(const words& options = {}) const {
        return {server().connect_string(), options, log()};
    }
    // One that may change things, for people and programs.
    [[nodiscard]] admin_page start_with_secrets(const words& more = {}) const {
        words options{"--allow-changes", "--password-file", secret("password", k_password),
                      "--token-file", secret("token", k_token)};
        options.insert(options.end(), more.begin(), more.end());
        return start(options);
    }
    [[nodiscard]] std::string secret(const char* name, const std::string& text) const {
        const auto file = (folder.path() / name).string();
        std::ofstream{file} << text << "\n";
        ::chmod(file.c_str(), 0600);
        return file;
    }
    [[nodiscard]] std::filesystem::path log() const { return folder.path() / "log"; }
    // Waits until the page has read this much of the servers.
    template <class Condition>
    [[nodiscard]] static bool shows(const admin_page& page, const std::string& target,
                                    const Condition& condition, const std::string& headers = {}) {
        return eventually([&] {
            const auto answer = page.ask(target, {.headers = headers});
            return answer.status == 200 && condition(answer.value());
        });
    }
    static std::string bearer() { return std::string{"Authorization: Bearer "} + k_token + "\r\n"; }

    static constexpr const char* k_password = "correct horse";
    static constexpr const char* k_token = "0123456789abcdef0123";
    const testing::temporary_folder folder;
    const std::string path = lock_path();
    std::unique_ptr<client> observer = connect(server().connect_string());
};

}  // namespace turnstile::tests
