// What the tests with other clients share: their processes, and who watches whom at the server.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "integration/support.hpp"
#include "interop/critical_section.hpp"
#include "turnstile/testing/java_program.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {

// The sessions that watch the znode. Whoever watches another contender's waits for it, and goes on
// waiting until something happens to it.
inline std::set<std::int64_t> watchers(const std::string& znode) {
    std::set<std::int64_t> found;
    std::istringstream watches{server().four_letter_word(0, "wchp")};
    bool here = false;
    for (std::string line; std::getline(watches, line);) {
        if (line.starts_with('/')) {
            here = line == znode;
        } else if (here && line.starts_with('\t')) {
            found.insert(static_cast<std::int64_t>(std::stoull(line.substr(1), nullptr, 16)));
        }
    }
    return found;
}

// Waits until another client waits for this hold.
[[nodiscard]] inline bool is_waited_for(const guard& hold, const client& owner) {
    return eventually([&] {
        auto others = watchers(hold.znode());
        others.erase(owner.session().id);
        return !others.empty();
    });
}

// Waits until this client waits for a contender of another one.
[[nodiscard]] inline bool waits_for(const client& waiter, const std::string& znode) {
    return eventually([&] { return watchers(znode).contains(waiter.session().id); });
}

// Whether somebody else was in the way of a try.
template <class T>
[[nodiscard]] bool is_busy(const result<T>& tried) {
    return !tried && tried.error() == errc::busy;
}

// Makes the file that lets another client's program go on.
inline void give_signal(const std::filesystem::path& file) {
    std::ofstream{file} << "go on";
}

}  // namespace turnstile::tests
