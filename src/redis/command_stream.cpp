// SPDX-License-Identifier: Apache-2.0
#include "redis/command_stream.hpp"

#include <string>
#include <utility>

#include "base/out_of_memory.hpp"

namespace turnstile::redis {

bool command_stream::flush(base::unique_lock& held) {
    if (sending_) return true;
    sending_ = true;
    bool all = true;
    for (std::string text; all && to_ != nullptr && !(text = to_->take_unsent()).empty();) {
        const auto to = to_;
        held.unlock();
        const auto done =
            base::finish_or_end("a request to a Redis server", [&] { return to->write(text); });
        held.lock();
        all = done == text.size();
        if (!all) to->put_back(std::string_view{text}.substr(done));
    }
    sending_ = false;
    if (awaited_) quiet_.notify_all();
    return all;
}

int command_stream::send_rest() {
    return sending_ || to_->send() ? -1 : to_->fd();
}

void command_stream::await_quiet(base::unique_lock& held) {
    awaited_ = true;
    while (sending_) quiet_.wait(held);
}

}  // namespace turnstile::redis
