// Uses one thing of the testing kit.
#include <iostream>

#include "turnstile/testing/process.hpp"

int main() {
    turnstile::testing::process child{{.command = {"true"}}};
    if (!child.wait() || child.exit_code() != 0) {
        std::cerr << "the child failed\n";
        return 1;
    }
}
