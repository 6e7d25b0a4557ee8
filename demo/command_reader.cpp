// SPDX-License-Identifier: Apache-2.0
#include "command_reader.hpp"

#include <unistd.h>

#include <fstream>
#include <string_view>
#include <thread>

namespace demo {

command_reader::command_reader(const std::filesystem::path& pipe) {
    std::thread{[this, pipe] { read_all(pipe); }}.detach();
}

void command_reader::read_all(const std::filesystem::path& pipe) {
    std::ifstream in{pipe};
    for (std::string line; std::getline(in, line);) {
        const std::lock_guard locked{mutex_};
        last_ = line;
        changed_.notify_all();
    }
    // The director is gone: there is no work left, and destructors might wait.
    constexpr int k_orphaned = 3;
    ::_exit(k_orphaned);
}

void command_reader::wait_for(std::string_view command) {
    std::unique_lock locked{mutex_};
    changed_.wait(locked, [&] { return last_ == command; });
    last_.clear();
}

bool command_reader::take(std::string_view command) {
    const std::lock_guard locked{mutex_};
    if (last_ != command) return false;
    last_.clear();
    return true;
}

}  // namespace demo
