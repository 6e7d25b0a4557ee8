// SPDX-License-Identifier: Apache-2.0
// A program that is linked with the library and no module. It has locks in memory, gets an error message for each other
// kind of server, and contains no client library of these servers.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "turnstile/turnstile.hpp"

namespace {

int failures = 0;

void check(bool holds, const std::string& text) {
    if (holds) return;
    std::cerr << text << '\n';
    ++failures;
}

void check_is_left_out(const std::string& connect_string, const std::string& module) {
    try {
        const turnstile::client unexpected{connect_string};
        check(false, connect_string + ": there is a client");
    } catch (const std::system_error& refusal) {
        const std::string words = refusal.what();
        check(refusal.code() == turnstile::errc::bad_connect_string, connect_string + ": " + words);
        check(words.find("libturnstile-" + module) != std::string::npos,
              connect_string + ": " + words);
        check(words.find("turnstile::" + module) != std::string::npos,
              connect_string + ": " + words);
        check(words.find("secret") == std::string::npos, connect_string + ": " + words);
    }
}

}  // namespace

int main() {
    check_is_left_out("redis://user:secret@h:6379", "redis");
    check_is_left_out("redis+sentinel://h/name", "redis");
    check_is_left_out("rediss://h", "redis");
    check_is_left_out("sqlite:/tmp/locks.db", "sqlite");
    check_is_left_out("postgresql://user:secret@h/db", "postgresql");
    check_is_left_out("mysql://user:secret@h/db", "mariadb");

    turnstile::client here{"local:alone"};
    turnstile::mutex lock{here, "/orders"};
    check(lock.acquire().value().release().has_value(), "local: no lock");

    std::ifstream maps{"/proc/self/maps"};
    const std::string all{std::istreambuf_iterator<char>{maps}, {}};
    check(all.find("libzookeeper_mt") != std::string::npos, "the C client is not there");
    for (const std::string name : {"hiredis", "libssl", "sqlite3", "libpq", "mariadb", "spdlog"})
        check(all.find(name) == std::string::npos, name + " is loaded");
    return failures == 0 ? 0 : 1;
}
