// SPDX-License-Identifier: Apache-2.0
// A server that all tests of the proxy share, and a proxy for each test.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "kit/zk_client.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace kit_test {

class proxy_fixture : public ::testing::Test {
protected:
    static turnstile::testing::ensemble& servers() {
        static turnstile::testing::ensemble instance;
        return instance;
    }

    turnstile::testing::tcp_proxy proxy_{servers().connect_string()};
    zk_client direct_{servers().connect_string()};
};

}  // namespace kit_test
