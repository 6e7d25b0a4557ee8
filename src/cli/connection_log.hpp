// SPDX-License-Identifier: Apache-2.0
// connection_log: the library's log while a command connects. Programs read it; a person has one line, with the reason.
//
//     connection_log log;
//     client servers{where, options};
//     const auto connected = log.wait_connected(servers, 10s);
//
// The log is the process's: one at a time, made before the client and gone after it.
//
// Thread safety: one thread.
#pragma once

#include <chrono>
#include <memory>

#include "turnstile/client.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

class connection_log {
public:
    connection_log();
    ~connection_log();
    connection_log(const connection_log&) = delete;
    connection_log& operator=(const connection_log&) = delete;

    // As the client's; an error has the reason that was logged last. The log is silent from then on.
    [[nodiscard]] result<void> wait_connected(client& servers, std::chrono::milliseconds patience);

private:
    struct shared_reason;
    const std::shared_ptr<shared_reason> reason_;
};

}  // namespace turnstile::cli
