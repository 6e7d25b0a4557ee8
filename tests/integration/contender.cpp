// SPDX-License-Identifier: Apache-2.0
// A process that contends for a lock, for tests that need real processes.
//
//     contender CONNECT PATH TIMEOUT_MS sell COUNT FOLDER   COUNT grants, each with a critical section
//     contender CONNECT PATH TIMEOUT_MS hold FOLDER         one grant, held until it is killed
//     contender CONNECT PATH TIMEOUT_MS lease PERMITS       holds PERMITS of a semaphore until it is killed
//     contender CONNECT PATH TIMEOUT_MS leave               returns from main with a grant of a static client
//
// The critical section creates a file with O_EXCL, so the file system detects two processes in it. The program prints
// "grant <token> <znode>" for each grant. `hold` stores valid_until() in the file FOLDER/lease, in nanoseconds of the
// boottime clock.
//
// TURNSTILE_TEST_FILE_SYSTEM sets the f_type that this program's statfs() reports for every path.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "support.hpp"

namespace turnstile::tests {
namespace {

constexpr int k_violation = 3;

client_options options_for(const char* timeout) {
    return quick_options(std::chrono::milliseconds{std::stol(timeout)});
}

void print_grant(const guard& hold) {
    std::cout << "grant " << hold.fencing_token().to_string() << ' ' << hold.znode() << std::endl;
}

int sell(mutex& lock, int count, const std::string& folder) {
    const auto inside = folder + "/inside";
    for (int i = 0; i != count; ++i) {
        auto hold = lock.acquire({.timeout = limit()});
        if (!hold) {
            std::cerr << hold.error().message() << '\n';
            return 1;
        }
        const int file = ::open(inside.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        if (file < 0 && hold->valid()) {
            std::cerr << "somebody else is inside\n";
            return k_violation;
        }
        print_grant(*hold);
        ::close(file);
        ::unlink(inside.c_str());
        hold->unlock();
    }
    return 0;
}

// The lease is in a memory-mapped file, so the parent can read it after this process was stopped or killed.
std::atomic<std::int64_t>* shared_lease(const std::string& folder) {
    const int file = ::open((folder + "/lease").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0 || ::ftruncate(file, sizeof(std::int64_t)) != 0) return nullptr;
    void* memory =
        ::mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return memory == MAP_FAILED ? nullptr : static_cast<std::atomic<std::int64_t>*>(memory);
}

int hold_for_ever(mutex& lock, const std::string& folder) {
    auto* lease = shared_lease(folder);
    auto hold = lock.acquire({.timeout = limit()});
    if (!hold || lease == nullptr) return 1;
    print_grant(*hold);
    constexpr int k_look_every = 1;  // milliseconds
    for (;;) {
        if (hold->valid()) lease->store(hold->valid_until().time_since_epoch().count());
        ::poll(nullptr, 0, k_look_every);
    }
}

int lease_for_ever(client& servers, const char* path, int permits) {
    semaphore pool{servers, path, 3};
    const auto lease = pool.acquire(permits, {.timeout = limit()});
    if (!lease) {
        std::cerr << lease.error().message() << '\n';
        return 1;
    }
    print_grant(*lease);
    for (;;) ::pause();
}

// The session's thread creates some of the library's static objects later than this client. So they are destroyed
// before the client.
int leave_with_static_client(const char* where, const char* path, const char* timeout) {
    static client servers{where, options_for(timeout)};
    static mutex lock{servers, path};
    static const auto hold = lock.acquire({.timeout = limit()});
    if (!hold) {
        std::cerr << hold.error().message() << '\n';
        return 1;
    }
    print_grant(*hold);
    return 0;
}

}  // namespace
}  // namespace turnstile::tests

// Replaces the C library's function.
extern "C" int statfs(const char* path, struct statfs* found) noexcept {
    const auto answer = static_cast<int>(::syscall(SYS_statfs, path, found));
    if (const char* kind = std::getenv("TURNSTILE_TEST_FILE_SYSTEM"); kind != nullptr)
        found->f_type = std::strtol(kind, nullptr, 0);
    return answer;
}

int main(int argc, char** argv) {
    using namespace turnstile;
    using namespace turnstile::tests;
    if (argc < 5) return 2;
    const std::string mode = argv[4];
    if (mode == "leave") return leave_with_static_client(argv[1], argv[2], argv[3]);
    if (argc < 6) return 2;
    client servers{argv[1], options_for(argv[3])};
    if (const auto connected = servers.wait_connected(limit()); !connected) {
        std::cerr << connected.error().message() << '\n';
        return 1;
    }
    if (mode == "lease") return lease_for_ever(servers, argv[2], std::stoi(argv[5]));
    mutex lock{servers, argv[2]};
    if (mode == "sell" && argc == 7) return sell(lock, std::stoi(argv[5]), argv[6]);
    if (mode == "hold") return hold_for_ever(lock, argv[5]);
    return 2;
}
