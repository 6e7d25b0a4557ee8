// SPDX-License-Identifier: Apache-2.0
#include "core/session/batch_answer.hpp"

namespace turnstile::core {

bool is_batch_refused(const reply& answer) {
    if (answer.outcome != outcome::answered) return false;
    switch (answer.error) {
        case server_error::ok:
        case server_error::session_expired:
        case server_error::session_moved:
        case server_error::not_read_only: return false;
        case server_error::no_node:
        case server_error::node_exists:
        case server_error::not_empty:
        case server_error::bad_version:
        case server_error::no_auth:
        case server_error::invalid_acl:
        case server_error::no_children_for_ephemerals:
        case server_error::bad_arguments:
        case server_error::unimplemented:
        case server_error::rolled_back:
        case server_error::auth_failed:
        case server_error::quota_exceeded:
        case server_error::throttled:
        case server_error::local_session:
        case server_error::other: return true;
    }
    return true;
}

}  // namespace turnstile::core
