// SPDX-License-Identifier: Apache-2.0
// private_server: the server of a run, or the file in place of one.
//
// Thread safety: one thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "record.hpp"

namespace demo {

class private_server {
public:
    virtual ~private_server() = default;
    [[nodiscard]] virtual std::string connect_string() const = 0;
    // SIGKILL; and a start with the data that it left. Nothing where there is no server.
    virtual void kill() {}
    virtual void start() {}
};

// Started. `scratch`: for a file. Throws std::runtime_error if it does not start.
[[nodiscard]] std::unique_ptr<private_server> start_server(const run_settings& settings,
                                                           const std::filesystem::path& scratch);

}  // namespace demo
