// SPDX-License-Identifier: Apache-2.0
// A process that acts as a test. As its argument says, it starts processes, starts servers, or takes ports. It prints
// process ids, paths and ports, and waits to be killed.
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/loopback_port.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace {

using namespace turnstile::testing;

// Script of a child process that ignores the signals that end a process. The script also starts a grandchild.
constexpr const char* k_stubborn = R"sh(
trap '' HUP INT TERM
sleep 1000 &
echo "grandchild $!"
echo "child $$"
echo "both are printed"
wait
)sh";

// The child inherits every descriptor that is not close-on-exec, as the child of a careless library does.
void start_careless_child() {
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::setsid();
        ::execl("/bin/sleep", "sleep", "1000", nullptr);
        ::_exit(1);
    }
    std::cout << "careless " << pid << std::endl;
}

// If two processes took so many ports without coordination, both would take some of the same ports.
std::vector<loopback_port> take_many_ports() {
    constexpr std::size_t k_many = 400;
    std::vector<loopback_port> ports(k_many);
    std::cout << "ports";
    for (const auto& port : ports) std::cout << ' ' << port.number();
    std::cout << std::endl;
    return ports;
}

[[noreturn]] void wait_to_be_killed() {
    std::cout << "READY" << std::endl;
    for (;;) {
        ::pause();
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string scene = argc > 1 ? argv[1] : "";
    const temporary_folder folder;
    std::cout << "folder " << folder.path().string() << std::endl;
    if (scene == "servers") {
        ensemble servers;
        std::cout << "data " << servers.server(0).data_folder().string() << std::endl;
        std::cout << "address " << servers.connect_string() << std::endl;
        wait_to_be_killed();
    }
    if (scene == "ports") {
        const auto ports = take_many_ports();
        wait_to_be_killed();
    }
    process child{{.command = {"sh", "-c", k_stubborn}, .output = folder.path() / "child"}};
    if (!child.wait_for_output("both are printed")) return 1;
    std::cout << child.output() << std::flush;
    start_careless_child();
    if (scene == "paused") child.pause();
    wait_to_be_killed();
}
