// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/answers.hpp"

namespace turnstile::zookeeper {
namespace {

using core::outcome;
using core::server_error;

// The value of KeeperException.Code.QUOTAEXCEEDED, which the header of the C client 3.8 does not define.
constexpr int k_quota_exceeded = -125;

server_error to_error(int rc) noexcept {
    switch (rc) {
        case ZOK: return server_error::ok;
        case ZNONODE: return server_error::no_node;
        case ZNODEEXISTS: return server_error::node_exists;
        case ZNOTEMPTY: return server_error::not_empty;
        case ZBADVERSION: return server_error::bad_version;
        case ZNOAUTH: return server_error::no_auth;
        case ZINVALIDACL: return server_error::invalid_acl;
        case ZNOCHILDRENFOREPHEMERALS: return server_error::no_children_for_ephemerals;
        case ZBADARGUMENTS: return server_error::bad_arguments;
        case ZUNIMPLEMENTED: return server_error::unimplemented;
        case ZNOTREADONLY: return server_error::not_read_only;
        case ZRUNTIMEINCONSISTENCY: return server_error::rolled_back;
        case ZSESSIONEXPIRED: return server_error::session_expired;
        case ZSESSIONMOVED: return server_error::session_moved;
        case ZAUTHFAILED: return server_error::auth_failed;
        case ZEPHEMERALONLOCALSESSION: return server_error::local_session;
        case k_quota_exceeded: return server_error::quota_exceeded;
        case ZTHROTTLEDOP: return server_error::throttled;
        default: return server_error::other;
    }
}

}  // namespace

judged_code judge_completion(int rc) noexcept {
    switch (rc) {
        // These codes come from the C client, or from a server that failed before it had processed the request.
        case ZSYSTEMERROR:
        case ZRUNTIMEINCONSISTENCY:
        case ZDATAINCONSISTENCY:
        case ZCONNECTIONLOSS:
        case ZMARSHALLINGERROR:
        case ZOPERATIONTIMEOUT:
        case ZINVALIDSTATE:
        case ZSSLCONNECTIONERROR:
        case ZCLOSING:
        case ZSESSIONEXPIRED:
        case ZAUTHFAILED: return {outcome::unknown, server_error::ok};
        default: return {outcome::answered, to_error(rc)};
    }
}

judged_code judge_call(int rc) noexcept {
    switch (rc) {
        case ZBADARGUMENTS: return {outcome::answered, server_error::bad_arguments};
        case ZUNIMPLEMENTED: return {outcome::answered, server_error::unimplemented};
        // The C client has no memory for the request. After `not_sent` the library would send the request again, for
        // ever.
        case ZMARSHALLINGERROR:
        case ZSYSTEMERROR: return {outcome::answered, server_error::other};
        // The handle is dead, and a session event will report its end.
        default: return {outcome::not_sent, server_error::ok};
    }
}

server_error judge_part(int rc) noexcept {
    return to_error(rc);
}

core::stat to_stat(const Stat& from) noexcept {
    core::stat to;
    to.czxid = from.czxid;
    to.mzxid = from.mzxid;
    to.pzxid = from.pzxid;
    to.ctime = from.ctime;
    to.mtime = from.mtime;
    to.version = from.version;
    to.cversion = from.cversion;
    to.aversion = from.aversion;
    to.ephemeral_owner = from.ephemeralOwner;
    to.data_length = from.dataLength;
    to.num_children = from.numChildren;
    return to;
}

std::optional<core::watch_kind> to_watch_kind(int event_type) noexcept {
    if (event_type == ZOO_CREATED_EVENT) return core::watch_kind::created;
    if (event_type == ZOO_DELETED_EVENT) return core::watch_kind::deleted;
    if (event_type == ZOO_CHANGED_EVENT) return core::watch_kind::changed;
    if (event_type == ZOO_CHILD_EVENT) return core::watch_kind::children;
    return std::nullopt;
}

}  // namespace turnstile::zookeeper
