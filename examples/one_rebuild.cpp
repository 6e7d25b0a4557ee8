// SPDX-License-Identifier: Apache-2.0
// one_rebuild: a value is missing in the cache. Many processes need it at once, and only one computes it.
//
//     TURNSTILE_SERVERS=zk1:2181 one_rebuild SOURCE CACHE      (two files; start several at once)
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

std::string first_line(const std::string& file) {
    std::string line;
    std::getline(std::ifstream{file}, line);
    return line;
}

// Does the slow part of the work. Readers take no lock. Because of the rename they never see half of the file.
void rebuild(const std::string& source, const std::string& cache) {
    std::cout << "computes the value" << std::endl;
    std::ofstream{cache + ".new"} << "made of " << first_line(source) << '\n';
    std::filesystem::rename(cache + ".new", cache);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: one_rebuild SOURCE CACHE\n", 2;
    const std::string cache = argv[2];
    if (!std::filesystem::exists(cache)) {
        std::cout << "not in the cache" << std::endl;
        const turnstile::client servers = turnstile::client::from_environment();
        turnstile::mutex rebuilding{servers, "/situations/rebuild"};
        const auto hold = rebuilding.acquire(1min);
        if (!hold) {
            std::cerr << hold.error().message() << '\n';
            return 1;
        }
        // The process checks again, because another process may have computed the value while this process waited.
        if (!std::filesystem::exists(cache)) rebuild(argv[1], cache);
    }
    std::cout << first_line(cache) << std::endl;
}
