// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/coordinator.hpp"

#include <utility>

#include "zookeeper/connect_string.hpp"
#include "zookeeper/session.hpp"

namespace turnstile::zookeeper {
namespace {

class servers final : public core::coordinator {
public:
    explicit servers(connect_string where) : where_{std::move(where)} {}

    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override {
        return std::make_unique<session>(where_, settings, sink);
    }

    [[nodiscard]] bool open_may_block() const noexcept override { return true; }

    [[nodiscard]] std::string describe() const override { return to_string(where_); }

private:
    const connect_string where_;
};

}  // namespace

std::unique_ptr<core::coordinator> make_coordinator(std::string_view connect_string) {
    return std::make_unique<servers>(parse_connect_string(connect_string).value());
}

}  // namespace turnstile::zookeeper
