// SPDX-License-Identifier: Apache-2.0
// tls: TLS for a client: a context for all connections, and a stream for each connection. OpenSSL reads and writes the
// bytes, and the back end waits with poll().
//
//     const auto opened = tls::make_context(settings);
//     if (!opened.fault.empty()) return refuse(opened.fault);
//     auto stream = opened.value->open(socket, "zk1.example.org");
//
// The ZooKeeper back end calls OpenSSL through the module libturnstile-tls, so that programs that do not use TLS do not
// load OpenSSL.
//
// Thread safety: a context is immutable. One thread may read a stream while another thread writes to it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace turnstile::tls {

// The client's check of the server's certificate. full: a trusted authority has signed it, and it contains the host's
// name. authority: a trusted authority has signed it. none: any certificate is accepted.
enum class verification { full, authority, none };

struct settings {
    bool enabled = false;
    verification verify = verification::full;
    std::string ca_file{};    // certificates of trusted authorities; empty: the system's
    std::string cert_file{};  // the client's certificate; empty: none
    std::string key_file{};
    std::string
        key_password_file{};    // its first line is the password of key_file; empty: there is none
    std::string crl_file{};     // revocation lists of the authorities; empty: no check
    std::string server_name{};  // the name in every certificate; empty: each server's host
    friend bool operator==(const settings&, const settings&) = default;
};

// The text of reason() for a stream that the server has closed after the handshake.
inline constexpr std::string_view k_closed = "the server closed the connection";

enum class handshake_step { done, wants_to_read, wants_to_write, failed };

// A TLS connection to a server.
class stream {
public:
    stream() = default;
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    virtual ~stream() = default;

    // Continues the handshake as far as possible without waiting. The result says for what the caller must wait.
    [[nodiscard]] virtual handshake_step go_on() = 0;
    // read() and write() return the number of bytes that they have read or written. They return 0 if they would have to
    // wait, and a negative number if the connection has ended.
    [[nodiscard]] virtual std::ptrdiff_t read(char* into, std::size_t most) = 0;
    [[nodiscard]] virtual std::ptrdiff_t write(std::string_view text) = 0;
    // Sends close_notify (the client will write no more), as far as possible without waiting.
    virtual void finish() = 0;
    // Returns the reason why the connection failed or ended.
    [[nodiscard]] virtual std::string reason() const = 0;
    // True if a new attempt would also fail until the certificate or the settings are changed.
    [[nodiscard]] virtual bool is_refused() const noexcept = 0;
};

class context {
public:
    context() = default;
    context(const context&) = delete;
    context& operator=(const context&) = delete;
    virtual ~context() = default;

    // Starts TLS on a connected socket. The certificate must be for `host`, unless the settings contain another name.
    [[nodiscard]] virtual std::unique_ptr<stream> open(int fd, const std::string& host) const = 0;
};

// False in a build without OpenSSL.
[[nodiscard]] bool has_tls() noexcept;

struct context_outcome {
    std::shared_ptr<const context> value{};
    std::string fault{};  // names the file and the reason; empty: there is a context
};

// Reads the files and makes a context. `plain_form`: the end of the message about a server without TLS, such as "use
// redis:// for a connection without TLS".
[[nodiscard]] context_outcome make_context(const settings& wanted, std::string_view plain_form);

}  // namespace turnstile::tls
