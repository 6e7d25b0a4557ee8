// SPDX-License-Identifier: Apache-2.0
// server: serves the admin page and its HTTP interface for one ensemble.
//
//     turnstile::admin::server page{servers, "zk1:2181", {.listen = {"127.0.0.1", 0}}};
//     print(page.url());
//     page.run();   // until end(), from any thread
//
// Thread safety: end() from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admin/access/gate.hpp"
#include "admin/http/listen_address.hpp"
#include "admin/reading/survey_plan.hpp"
#include "turnstile/client.hpp"

namespace turnstile::admin {

struct server_options {
    listen_address listen{};
    bool allow_changes = false;
    std::string password_file{};
    std::string token_file{};
    std::string users_file{};
    proxy_settings proxy{};  // signs users in
    std::string tls_certificate_file{};
    std::string tls_key_file{};
    std::string audit_file{};
    std::vector<std::string>
        names{};  // further names of this server; "https://NAME" behind a proxy with TLS
    reading_settings reading{};
};

// Throws std::runtime_error with advice in three cases:
// - the address is not a loopback address, and there is no password, token or users file;
// - changes are allowed without any of these secrets;
// - only one of certificate and key is given.
void check(const server_options& options);

class server {
public:
    // Reads the files, listens, and starts to read locks. Throws std::runtime_error.
    server(client& servers, const std::string& connect_string, const server_options& options);
    ~server();
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    // Returns the page's address, such as "http://127.0.0.1:8088/".
    [[nodiscard]] std::string url() const;
    // Answers requests until end(). Returns false if the listening socket failed.
    [[nodiscard]] bool run();
    // Answers no further requests, and ends live streams and orders to take a lock that still wait for the holder. Call
    // this while another thread is in run() or is about to call it.
    void end();

private:
    class inside;
    const std::unique_ptr<inside> inside_;
};

}  // namespace turnstile::admin
