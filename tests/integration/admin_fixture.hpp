// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of the admin page: `turnstile serve` as a process on a real server, and requests as raw bytes.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "admin/http_link.hpp"
#include "support.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {

using words = std::vector<std::string>;

struct request_parts {
    std::string headers{};              // whole lines with their line ends
    std::optional<std::string> body{};  // JSON; makes the request a POST
    std::optional<std::string> host{};  // instead of the correct host
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
        words all{TURNSTILE_PROGRAM, "serve", "--listen", "127.0.0.1:0"};
        if (std::find(options.begin(), options.end(), "--refresh") == options.end())
            all.insert(all.end(), {"--refresh", "100ms"});
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
    // Starts a page that allows changes, with a password for people and a token for programs.
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
    // Requests `target` until the data of the answer meet the condition.
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
