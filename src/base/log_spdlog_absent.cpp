// SPDX-License-Identifier: Apache-2.0
#include "base/log_standard.hpp"

namespace turnstile::log {

void make_spdlog_registry() {}

bool write_to_spdlog(const waiting_line& /*line*/) {
    return false;
}

}  // namespace turnstile::log
