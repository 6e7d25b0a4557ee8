// SPDX-License-Identifier: Apache-2.0
// A library that is preloaded into a server's Java process. While the file "stall-disk" is in the server's folder,
// every call that syncs to the disk waits. Without that file, calls that sync return at once, so that the machine's
// disk does not affect the campaign.
#include <poll.h>
#include <unistd.h>

namespace {

int wait_while_stalled() {
    constexpr int k_look_every = 5;  // ms
    while (::access("stall-disk", F_OK) == 0) ::poll(nullptr, 0, k_look_every);
    return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int fsync(int) {
    return wait_while_stalled();
}

extern "C" __attribute__((visibility("default"))) int fdatasync(int) {
    return wait_while_stalled();
}
