// SPDX-License-Identifier: Apache-2.0
// The compiler must refuse the temporary result of job_gate::run() as a condition. Otherwise the condition would be
// true for a job that was not due.
#include "turnstile/job_gate.hpp"

bool run(turnstile::job_gate& nightly) {
    const auto report = nightly.run([](turnstile::job_run&) {});
    if (!report) return false;
    if (nightly.run([](turnstile::job_run&) {}).has_error()) return false;
#ifdef REFUSED_condition
    if (nightly.run([](turnstile::job_run&) {})) return true;  // refused: deleted
#endif
#ifdef REFUSED_negated
    if (!nightly.run([](turnstile::job_run&) {})) return false;  // refused: deleted
#endif
    return report->verdict == turnstile::job_verdict::ran;
}
