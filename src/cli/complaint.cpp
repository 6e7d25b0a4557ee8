// SPDX-License-Identifier: Apache-2.0
#include "cli/complaint.hpp"

#include <cstdio>

#include "support/visible.hpp"

namespace turnstile::cli {

int complain(std::string_view sentence, int code) {
    std::fprintf(stderr, "turnstile: %s\n", support::visible(sentence).c_str());
    return code;
}

std::string explanation_of(const std::system_error& failure) {
    std::string text = failure.what();
    // The exception of std::thread contains only the system's error text.
    if (text == failure.code().message()) text = "cannot start a thread: " + text;
    const bool exhausted = failure.code() == std::errc::resource_unavailable_try_again ||
                           failure.code() == std::errc::not_enough_memory;
    if (exhausted)
        text +=
            "; raise the limit of memory (ulimit -v) or of processes and threads (ulimit -u, "
            "pids.max of the control group)";
    return text;
}

}  // namespace turnstile::cli
