// The uncontended cycle of a mutex beside a bare loop of the C client that sends the same requests:
// create ‖ get_children, then delete. Both against the same real server in the same run, in turns,
// with the C client's name resolution off the hot path. Prints medians and the median of the ratios.
//
//     uncontended [ROUNDS [CYCLES]]      default: 20 rounds of 500 cycles each
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/turnstile.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
using microseconds = std::chrono::duration<double, std::micro>;

constexpr const char* k_bare_folder = "/bench-bare";

// Waits for completions, which the C client runs on a thread of its own.
class arrivals {
public:
    void arrive() {
        const std::lock_guard held{mutex_};
        ++count_;
        changed_.notify_one();
    }
    void wait(int count) {
        std::unique_lock held{mutex_};
        changed_.wait(held, [&] { return count_ >= count; });
        count_ -= count;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
};

struct bare_client {
    explicit bare_client(const std::string& where) {
        zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
        handle = zookeeper_init(
            where.c_str(),
            [](zhandle_t* zh, int, int state, const char*, void* self) {
                if (state == ZOO_CONNECTED_STATE)
                    static_cast<bare_client*>(self)->connected.arrive();
                static_cast<void>(zh);
            },
            10'000, nullptr, this, 0);
        if (handle == nullptr) std::abort();
        zoo_set_servers_resolution_delay(handle, -1);
        connected.wait(1);
        zoo_create(handle, k_bare_folder, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, nullptr, 0);
    }
    ~bare_client() { zookeeper_close(handle); }
    bare_client(const bare_client&) = delete;
    bare_client& operator=(const bare_client&) = delete;

    void cycle() {
        const std::string prefix =
            std::string{k_bare_folder} + "/_c_00000000-0000-4000-8000-000000000000-lock-";
        zoo_acreate2(
            handle, prefix.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL | ZOO_SEQUENCE,
            [](int, const char* name, const Stat*, const void* self) {
                auto& me = *static_cast<bare_client*>(const_cast<void*>(self));
                me.created = name != nullptr ? name : "";
                me.answered.arrive();
            },
            this);
        zoo_aget_children2(
            handle, k_bare_folder, 0,
            [](int, const String_vector*, const Stat*, const void* self) {
                static_cast<bare_client*>(const_cast<void*>(self))->answered.arrive();
            },
            this);
        answered.wait(2);
        zoo_adelete(
            handle, created.c_str(), -1,
            [](int, const void* self) {
                static_cast<bare_client*>(const_cast<void*>(self))->answered.arrive();
            },
            this);
        answered.wait(1);
    }

    zhandle_t* handle = nullptr;
    arrivals connected;
    arrivals answered;
    std::string created;
};

template <class F>
double median_of(int cycles, F&& cycle) {
    std::vector<double> times;
    for (int i = 0; i != cycles; ++i) {
        const auto start = clock_type::now();
        cycle();
        times.push_back(microseconds{clock_type::now() - start}.count());
    }
    std::nth_element(times.begin(), times.begin() + cycles / 2, times.end());
    return times[static_cast<std::size_t>(cycles / 2)];
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
    const int cycles = argc > 2 ? std::atoi(argv[2]) : 500;
    if (rounds < 1 || cycles < 1) {
        std::fprintf(stderr, "uncontended: ROUNDS and CYCLES must be positive\n");
        return 2;
    }
    turnstile::testing::ensemble server;
    server.wait_until_serving();
    bare_client bare{server.connect_string()};
    turnstile::client servers{server.connect_string()};
    servers.wait_connected(std::chrono::seconds{30}).value();
    turnstile::mutex lock{servers, "/bench-turnstile"};
    const auto ours = [&] { lock.acquire().value().release().value(); };

    median_of(cycles, [&] { bare.cycle(); });  // warm-up
    median_of(cycles, ours);
    std::vector<double> bare_medians, our_medians, ratios;
    for (int i = 0; i != rounds; ++i) {
        bare_medians.push_back(median_of(cycles, [&] { bare.cycle(); }));
        our_medians.push_back(median_of(cycles, ours));
        ratios.push_back(our_medians.back() / bare_medians.back());
    }
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    std::printf("uncontended acquire + release, confirmed; %d rounds of %d cycles each, in turns\n",
                rounds, cycles);
    std::printf("  bare C client (create || get_children, delete)  %8.1f us\n",
                median(bare_medians));
    std::printf("  turnstile::mutex                                %8.1f us\n",
                median(our_medians));
    std::printf("  ratio, pair by pair: median %.3f, from %.3f to %.3f\n", median(ratios), *least,
                *most);
}
