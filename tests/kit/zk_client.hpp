// SPDX-License-Identifier: Apache-2.0
// A client that calls ZooKeeper's C library directly. The tests of the testing kit (turnstile::testing) use this
// client, because they must not depend on the rest of Turnstile.
#pragma once

#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "turnstile/testing/event.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace kit_test {

using turnstile::testing::event;
using turnstile::testing::test_deadline;

class zk_client {
public:
    // Returns before the client is connected.
    explicit zk_client(const std::string& servers, int timeout_ms = 30'000) {
        zoo_set_debug_level(static_cast<ZooLogLevel>(0));
        handle_ = zookeeper_init(servers.c_str(), &on_event, timeout_ms, nullptr, this, 0);
        if (handle_ == nullptr) throw std::runtime_error{"zookeeper_init failed"};
    }
    ~zk_client() { zookeeper_close(handle_); }
    zk_client(const zk_client&) = delete;
    zk_client& operator=(const zk_client&) = delete;

    // Each of these members counts one kind of event of the session.
    event connected;
    event disconnected;
    event expired;
    event watch_fired;

    [[nodiscard]] std::int64_t session_id() const { return zoo_client_id(handle_)->client_id; }
    [[nodiscard]] std::string password() const {
        return {zoo_client_id(handle_)->passwd, sizeof zoo_client_id(handle_)->passwd};
    }

    // The next functions return ZooKeeper's error code.
    int create(const std::string& path, int flags = 0, std::string* created = nullptr) {
        std::string name(path.size() + 32, '\0');
        const int rc = zoo_create2(handle_, path.c_str(), "data", 4, &ZOO_OPEN_ACL_UNSAFE, flags,
                                   name.data(), static_cast<int>(name.size()), nullptr);
        if (created != nullptr) *created = name.c_str();
        return rc;
    }
    int remove(const std::string& path) { return zoo_delete(handle_, path.c_str(), -1); }
    // Removes the READ permission of all clients. Other permissions remain.
    int hide(const std::string& path) {
        Id anyone = ZOO_ANYONE_ID_UNSAFE;
        ::ACL all{ZOO_PERM_ALL & ~ZOO_PERM_READ, anyone};
        const ::ACL_vector acl{1, &all};
        return zoo_set_acl(handle_, path.c_str(), -1, &acl);
    }
    int exists(const std::string& path, bool watch = false) {
        return zoo_exists(handle_, path.c_str(), watch ? 1 : 0, nullptr);
    }
    std::vector<std::string> children(const std::string& path) {
        String_vector found{};
        if (zoo_get_children(handle_, path.c_str(), 0, &found) != ZOK) return {};
        std::vector<std::string> names(found.data, found.data + found.count);
        deallocate_String_vector(&found);
        std::sort(names.begin(), names.end());
        return names;
    }

private:
    static void on_event(zhandle_t*, int type, int state, const char*, void* context) {
        auto& self = *static_cast<zk_client*>(context);
        if (type != ZOO_SESSION_EVENT) return self.watch_fired.set();
        if (state == ZOO_CONNECTED_STATE) self.connected.set();
        if (state == ZOO_CONNECTING_STATE) self.disconnected.set();
        if (state == ZOO_EXPIRED_SESSION_STATE) self.expired.set();
    }

    zhandle_t* handle_ = nullptr;
};

}  // namespace kit_test
