// SPDX-License-Identifier: Apache-2.0
// Runs the examples in the comments of the public headers about locks and holds, such as turnstile/mutex.hpp and
// turnstile/guard.hpp.
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "headers/reader.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

TEST(header_examples, mutex) {
    client servers{own_tree()};
    turnstile::mutex stock{servers, "/locks/stock"};
    static reader ship;
#include "examples/mutex.inc"
    EXPECT_EQ(ship.calls(), 2);
}

TEST(header_examples, acquire_options) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    const std::stop_token shutdown;
    reader ship;
#include "examples/acquire_options.inc"
    EXPECT_EQ(ship.calls(), 1);
}

TEST(header_examples, recursive_mutex) {
    client servers{own_tree()};
#include "examples/recursive_mutex.inc"
    EXPECT_FALSE(orders.is_locked().value());
}

TEST(header_examples, shared_mutex) {
    client servers{own_tree()};
    reader show;
    reader refresh;
    const auto out_of_date = [] { return true; };
#include "examples/shared_mutex.inc"
    EXPECT_EQ(show.calls(), 2);
    EXPECT_EQ(refresh.calls(), 1);
    EXPECT_TRUE(writing);
}

TEST(header_examples, semaphore) {
    client servers{own_tree()};
    reader query;
    reader query_in_bulk;
#include "examples/semaphore.inc"
    EXPECT_EQ(query.calls() + query_in_bulk.calls(), 2);
    EXPECT_EQ(connections.limit().value(), 30);
}

TEST(header_examples, permit_count) {
    client servers{own_tree()};
    semaphore connections{servers, "/semaphores/database", 20};
    const std::vector<int> batch(15);
#include "examples/permit_count.inc"
    EXPECT_TRUE(five && batches);
}

TEST(header_examples, multi_lock) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    turnstile::mutex stock{servers, "/locks/stock"};
    reader move;
#include "examples/multi_lock.inc"
    EXPECT_EQ(move.calls(), 1);
}

TEST(header_examples, quorum_lock) {
    client east{own_tree()};
    client north{own_tree()};
    client west{own_tree()};
    reader ship;
#include "examples/quorum_lock.inc"
    EXPECT_EQ(ship.calls(), 1);
}

TEST(header_examples, any_lock) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    turnstile::mutex stock{servers, "/locks/stock"};
#include "examples/any_lock.inc"
    for (auto* lock : {&first, &second, &third}) EXPECT_TRUE(lock->acquire().has_value());
}

TEST(header_examples, lockable) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    turnstile::mutex stock{servers, "/locks/stock"};
    reader ship;
    reader log;
#include "examples/lockable.inc"
    EXPECT_EQ(ship.calls() + log.calls(), 2);
}

TEST(header_examples, with_lock) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    static reader ship;
    reader log;
#include "examples/with_lock.inc"
    EXPECT_EQ(ship.calls(), 1);
}

TEST(header_examples, lock_options) {
    client servers{own_tree()};
#include "examples/lock_options.inc"
    EXPECT_TRUE(orders.acquire().has_value() && hot.acquire().has_value() &&
                press.acquire().has_value());
}

TEST(header_examples, owner) {
    client servers{own_tree()};
    turnstile::recursive_mutex orders{servers, "/locks/orders"};
    reader ship;
    struct {
        void submit(const std::function<void()>& task) const { std::jthread{task}; }
    } pool;
#include "examples/owner.inc"
    EXPECT_EQ(ship.calls(), 1);
}

TEST(header_examples, path_template) {
    client servers{own_tree()};
    const std::string order_id = "7/8";
#include "examples/path_template.inc"
    EXPECT_TRUE(m.acquire().has_value());
}

// ---- examples about a hold --------------------------------------------------------------------

class held {
public:
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    result<guard> hold = orders.acquire();
};

TEST(header_examples, guard) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    int left = 3;
    const auto work_left = [&left] { return left-- > 0; };
    reader step;
#include "examples/guard.inc"
    EXPECT_EQ(step.calls(), 3);
}

TEST(header_examples, result) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    servers.wait_connected(testing::limit()).value();
    reader use;
    reader log;
#include "examples/result.inc"

#include "examples/result-2.inc"
    EXPECT_EQ(waiting, 1U);
    EXPECT_EQ(use.calls(), 1);

    reader come_back_later;
#include "examples/result-3.inc"
    EXPECT_EQ(come_back_later.calls(), 1);
    EXPECT_EQ(log.calls(), 0);
}

TEST(header_examples, error) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    const auto theirs = orders.acquire();
    reader try_later;
    reader call_the_operator;
#include "examples/error.inc"
    EXPECT_EQ(try_later.calls(), 1);
    EXPECT_EQ(call_the_operator.calls(), 0);
}

TEST(header_examples, clock) {
    const held own;
    const auto& hold = own.hold;
    reader write;
#include "examples/clock.inc"
    EXPECT_EQ(write.calls(), 1);
}

TEST(header_examples, fencing_token) {
    const held own;
    const auto& hold = own.hold;
    const std::string record = "order 7";
    struct {
        reader write;
    } storage;
#include "examples/fencing_token.inc"
    EXPECT_EQ(storage.write.calls(), 1);
}

TEST(header_examples, fencing_vector) {
    const held own;
    const auto& hold = own.hold;
    fencing_vector seen;
    reader refuse;
#include "examples/fencing_vector.inc"
    EXPECT_FALSE(tokens.is_behind(seen));
    EXPECT_EQ(seen.to_string(), tokens.to_string());
}

TEST(header_examples, stop_any) {
    const held own;
    const auto& hold = own.hold;
    std::stop_source shutdown;
    shutdown.request_stop();
    const auto work = [](const std::stop_token& stop) { EXPECT_TRUE(stop.stop_requested()); };
#include "examples/stop_any.inc"
}

// ---- examples about reads and transactions ----------------------------------------------------

TEST(header_examples, node) {
    held own;
    auto& [servers, orders, hold] = own;
    hold->commit(transaction{}.create("/stock", "").create("/stock/7", "41")).value();
    const auto one_less = [](const std::string& count) {
        return std::to_string(std::stoi(count) - 1);
    };
    reader log;
#include "examples/node.inc"
    EXPECT_EQ(read_node(servers, "/stock/7").value().data, "40");
    EXPECT_EQ(log.calls(), 0);
#include "examples/node-2.inc"
    EXPECT_EQ(pieces.data, "40");
}

TEST(header_examples, transaction) {
    held own;
    auto& [servers, orders, hold] = own;
    turnstile::mutex stock{servers, "/locks/stock"};
    const guard other_hold = stock.acquire().value();
    const auto folders =
        transaction{}.create("/stock", "").create("/stock/7", "42").create("/orders", "");
    hold->commit(folders).value();
    const int version = 0;
    reader ship;
    reader look_again;
#include "examples/transaction.inc"

#include "examples/transaction-2.inc"
    EXPECT_TRUE(done) << done.error().message();
    EXPECT_EQ(ship.calls(), 1);
    EXPECT_EQ(read_node(servers, "/stock/7").value().data, "41");
}

}  // namespace
}  // namespace turnstile::tests
