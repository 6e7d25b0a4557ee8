// SPDX-License-Identifier: Apache-2.0
// Implements the servers of contract/backend.hpp with ZooKeeper servers that refuse create2 and the removal of watches,
// as old versions do. A proxy makes each of these requests unknown to the servers.
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "contract/backend.hpp"
#include "contract/probe.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/tcp_proxy.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "zookeeper/coordinator.hpp"

namespace turnstile::contract {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;

// An ensemble, and the proxy in front of it.
class older_servers {
public:
    explicit older_servers(testing::ensemble_options how) : servers_{std::move(how)} {
        proxy_.filter(testing::direction::to_server, [](testing::frame& f) {
            using testing::frame_kind;
            namespace opcode = testing::opcode;
            if (f.is(frame_kind::request, opcode::create2) ||
                f.is(frame_kind::request, opcode::remove_watches))
                f.rewrite_opcode(opcode::unknown);
            return testing::verdict::forward;
        });
    }
    [[nodiscard]] std::string address() const { return proxy_.address(); }

private:
    testing::ensemble servers_;
    testing::tcp_proxy proxy_{servers_.connect_string(0)};
};

// Returns a coordinator that already knows what the servers lack. A create2 or a removal of a watch ends the
// connection, perhaps without an answer, so this function ignores the answer.
std::unique_ptr<core::coordinator> found_out(const std::string& address,
                                             const std::string& chroot) {
    auto servers = zookeeper::make_coordinator(address + chroot);
    probe first{*servers};
    const auto answered = [&] {
        return first.ask(core::create_op{"/never/made"}).outcome == core::outcome::answered;
    };
    if (!testing::eventually(answered)) throw std::runtime_error{"no create is answered"};
    return servers;
}

}  // namespace

// These servers end connections, so a session of an earlier test may expire later, and its expiry takes a zxid.
bool counts_every_write() {
    return false;
}

bool a_create_is_one_request() {
    return false;
}

std::unique_ptr<core::coordinator> shared_servers(const std::string& chroot) {
    static const older_servers servers{{.container_check_interval = 24h}};
    return found_out(servers.address(), chroot);
}

std::unique_ptr<core::coordinator> cleaning_servers() {
    static const older_servers servers{{.container_check_interval = 100ms}};
    return found_out(servers.address(), {});
}

void clean_containers() {}

}  // namespace turnstile::contract
