// SPDX-License-Identifier: Apache-2.0
#include "verification/work/gate_work.hpp"

#include <utility>

#include "recipe/gate/gate_rules.hpp"
#include "verification/work/recipe_work.hpp"

namespace turnstile::simulation {

namespace {

// Reads the data of a job gate or a rate gate, and the leader's time. A derived class then decides what the thread
// does, and makes the next steps.
class gate_work : public recipe_work {
public:
    gate_work(sim_client& client, const scenario& scenario, dice& chance, const char* record)
        : recipe_work{client, scenario, chance}, record_{record} {}

protected:
    virtual void decide(worker& actor, std::int64_t now) = 0;
    virtual void go_on_after(worker& actor, int step) = 0;

    [[nodiscard]] static bool read_it(const worker& actor) {
        return actor.reply && actor.reply->error == core::server_error::ok;
    }
    void look(worker& actor) { read(actor, record_); }
    void write(worker& actor, const std::string& text) {
        const auto marked = unique_text(actor, text);
        commit(actor, {core::set_op{record_, marked, actor.seen.version}}, marked);
    }

private:
    void go_on(worker& actor) final {
        const auto step = actor.step++;
        switch (step) {
            case 0: return look(actor);
            case 1: {
                if (!read_it(actor)) return release(actor);
                actor.seen = actor.reply->stat;
                actor.text = actor.reply->data;
                auto text = unique_text(actor, "now");
                return commit(actor, {core::set_op{k_state_znode, text}}, text);
            }
            case 2: return committed(actor) ? read(actor, actor.znode) : release(actor);
            case 3: return read_it(actor) ? decide(actor, actor.reply->stat.mtime) : release(actor);
            default: return go_on_after(actor, step);
        }
    }

    const std::string record_;
};

// Plays job_gate: a thread takes the lock and reads the job's record. If the job is due, the thread records its start,
// runs for a random time, and records its end.
class job_work final : public gate_work {
public:
    job_work(sim_client& client, const scenario& scenario, dice& chance)
        : gate_work{client, scenario, chance, k_job_znode} {}

private:
    void go_on_after(worker& actor, int step) override {
        switch (step) {
            case 4:
                if (!committed(actor)) return release(actor);
                return pause(actor, some_time());  // the job runs for this time
            case 5: return look(actor);
            case 6:
                if (!read_it(actor) || dice_.chance(0.2))
                    // The worker acts as if its process ended before the end of the job was recorded.
                    return release(actor);
                return finish(actor);
            default: return release(actor);
        }
    }
    void decide(worker& actor, std::int64_t now) override {
        const auto last = detail::parse_job(actor.text, actor.seen.mtime).value_or(job_record{});
        const auto decided = detail::decide_job(last, now, scenario_.job);
        if (decided.verdict != job_verdict::ran) return release(actor);
        job_record next;
        next.state = job_state::running;
        next.number = last.number + 1;
        next.by = std::to_string(client_.id());
        write(actor, detail::to_text(next));
    }
    void finish(worker& actor) {
        auto record = detail::parse_job(actor.reply->data, actor.reply->stat.mtime);
        if (!record || record->state != job_state::running) return release(actor);
        actor.seen = actor.reply->stat;
        record->state = job_state::succeeded;
        write(actor, detail::to_text(*record));
    }
};

// Plays rate_gate: a thread takes the gate's lock and reads the gate's record of recent entries. If the rule allows an
// entry now, the thread records its entry and releases the lock. Otherwise it either gives up, or keeps the lock until
// the rule allows an entry, and then reads the record again.
class rate_work final : public gate_work {
public:
    rate_work(sim_client& client, const scenario& scenario, dice& chance)
        : gate_work{client, scenario, chance, k_rate_znode} {}

private:
    void go_on_after(worker& actor, int) override { release(actor); }
    void decide(worker& actor, std::int64_t now) override {
        auto record =
            detail::rate_record::parse(actor.text, actor.seen.mtime).value_or(scenario_.rate);
        detail::forget_old(record, now);
        const auto wait = detail::wait_for_room(record, now);
        if (wait > 0 && dice_.chance(0.5)) return release(actor);  // a try does not wait
        if (wait > 0) {
            actor.step = 0;
            return pause(actor, std::chrono::milliseconds{wait});
        }
        write(actor, record.to_string());
    }
};

}  // namespace

std::unique_ptr<application> make_job_work(sim_client& client, const scenario& scenario,
                                           dice& chance) {
    return std::make_unique<job_work>(client, scenario, chance);
}

std::unique_ptr<application> make_rate_work(sim_client& client, const scenario& scenario,
                                            dice& chance) {
    return std::make_unique<rate_work>(client, scenario, chance);
}

}  // namespace turnstile::simulation
