// SPDX-License-Identifier: Apache-2.0
#include "turnstile/lock_status.hpp"

namespace turnstile {

const char* to_string(contender_kind kind) noexcept {
    switch (kind) {
        case contender_kind::mutex: return "mutex";
        case contender_kind::latch: return "latch";
        case contender_kind::reader: return "reader";
        case contender_kind::writer: return "writer";
        case contender_kind::upgradable: return "upgradable";
        case contender_kind::upgrade: return "upgrade";
        case contender_kind::permit: return "permit";
    }
    return "unknown";
}

}  // namespace turnstile
