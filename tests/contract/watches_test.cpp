// SPDX-License-Identifier: Apache-2.0
// Tests which request fires which watch, that a watch fires once, and the order of events and replies.
#include "contract/fixture.hpp"

namespace turnstile::contract {
namespace {

using core::check_op;
using core::children_op;
using core::create_mode;
using core::create_op;
using core::exists_op;
using core::get_op;
using core::multi_op;
using core::remove_op;
using core::server_error;
using core::set_op;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class contract_watches : public fixture {
protected:
    probe watcher_{*servers_};
};

TEST_F(contract_watches, get_hears_of_change_and_removal) {
    make(at("a"));
    watch<get_op>(watcher_, at("a"));
    make(at("a/child"));
    EXPECT_THAT(watcher_.events(), IsEmpty()) << "children are no data";
    me.ask(set_op{at("a")});
    EXPECT_THAT(watcher_.events(), ElementsAre("changed " + at("a")));
    watch<get_op>(watcher_, at("a"));
    remove(at("a/child"));
    remove(at("a"));
    EXPECT_THAT(watcher_.events(), ElementsAre("deleted " + at("a")));
}

TEST_F(contract_watches, exists_hears_of_creation_too) {
    watch<exists_op>(watcher_, at("a"));
    make(at("a"));
    EXPECT_THAT(watcher_.events(), ElementsAre("created " + at("a")));
    watch<exists_op>(watcher_, at("a"));
    me.ask(set_op{at("a")});
    EXPECT_THAT(watcher_.events(), ElementsAre("changed " + at("a")));
    watch<exists_op>(watcher_, at("a"));
    remove(at("a"));
    EXPECT_THAT(watcher_.events(), ElementsAre("deleted " + at("a")));
}

TEST_F(contract_watches, children_hears_of_children_and_removal) {
    watch<children_op>(watcher_, folder());
    me.ask(set_op{folder()});
    EXPECT_THAT(watcher_.events(), IsEmpty()) << "data are no children";
    make(at("a"));
    EXPECT_THAT(watcher_.events(), ElementsAre("children " + folder()));
    watch<children_op>(watcher_, folder());
    make(at("a/b"));
    me.ask(set_op{at("a")});
    EXPECT_THAT(watcher_.events(), IsEmpty()) << "grandchildren and children's data";
    remove(at("a/b"));
    remove(at("a"));
    EXPECT_THAT(watcher_.events(), ElementsAre("children " + folder()));
    make(at("c"));
    watch<children_op>(watcher_, at("c"));
    remove(at("c"));
    EXPECT_THAT(watcher_.events(), ElementsAre("deleted " + at("c")));
}

TEST_F(contract_watches, the_root_can_be_watched) {
    watch<children_op>(watcher_, "/");
    make("/contract_watches.the_root");
    EXPECT_THAT(watcher_.events(), ElementsAre("children /"));
    watch<get_op>(watcher_, "/");
    me.ask(set_op{"/"});
    EXPECT_THAT(watcher_.events(), ElementsAre("changed /"));
}

TEST_F(contract_watches, each_fires_once) {
    make(at("a"));
    watch<get_op>(watcher_, at("a"));
    watch<get_op>(watcher_, at("a"));
    watch<exists_op>(watcher_, at("a"));
    me.ask(set_op{at("a")});
    me.ask(set_op{at("a")});
    remove(at("a"));
    EXPECT_THAT(watcher_.events(), ElementsAre("changed " + at("a")));
}

// A read under a hold depends on this order: a waiter gets the event that the holder ahead is gone, and then reads the
// data that this holder wrote.
TEST_F(contract_watches, what_was_written_before_a_removal_is_seen_after_its_event) {
    make(at("data"));
    for (int turn = 0; turn != 20; ++turn) {
        make(at("ahead"), create_mode::ephemeral);
        watch<exists_op>(watcher_, at("ahead"));
        const auto written = std::to_string(turn);
        probe other{*servers_};  // the holder writes in another session
        other.ask(set_op{at("data"), written});
        remove(at("ahead"));
        EXPECT_EQ(watcher_.next_event(), "deleted " + at("ahead"));
        EXPECT_EQ(watcher_.ask(get_op{at("data")}).data, written);
    }
    EXPECT_THAT(watcher_.events(), IsEmpty());
}

TEST_F(contract_watches, a_read_that_fails_sets_none_except_exists) {
    EXPECT_EQ(watch<get_op>(watcher_, at("a")), server_error::no_node);
    EXPECT_EQ(watch<children_op>(watcher_, at("a")), server_error::no_node);
    make(at("a"));
    me.ask(set_op{at("a")});
    make(at("a/b"));
    EXPECT_THAT(watcher_.events(), IsEmpty());
    EXPECT_EQ(watch<exists_op>(watcher_, at("c")), server_error::no_node);
    make(at("c"));
    EXPECT_THAT(watcher_.events(), ElementsAre("created " + at("c")));
}

TEST_F(contract_watches, a_refused_write_fires_none) {
    make(at("a"));
    watch<get_op>(watcher_, at("a"));
    watch<children_op>(watcher_, folder());
    make(at("a"));
    me.ask(set_op{at("a"), "", 7});
    remove(at("a"), 7);
    me.ask(multi_op{{set_op{at("a")}, remove_op{at("a")}, check_op{at("none")}}});
    me.ask(multi_op{{check_op{at("a")}}});
    EXPECT_THAT(watcher_.events(), IsEmpty());
}

TEST_F(contract_watches, a_removal_is_told_once_and_before_the_parents_list) {
    make(at("a"));
    watch<get_op>(watcher_, at("a"));
    watch<exists_op>(watcher_, at("a"));
    watch<children_op>(watcher_, at("a"));
    watch<children_op>(watcher_, folder());
    remove(at("a"));
    EXPECT_THAT(watcher_.events(), ElementsAre("deleted " + at("a"), "children " + folder()));
    make(at("a"));
    EXPECT_THAT(watcher_.events(), IsEmpty()) << "all four are used up";
}

TEST_F(contract_watches, a_creation_is_told_before_the_parents_list) {
    watch<children_op>(watcher_, folder());
    watch<exists_op>(watcher_, at("a"));
    make(at("a"));
    EXPECT_THAT(watcher_.events(), ElementsAre("created " + at("a"), "children " + folder()));
}

TEST_F(contract_watches, everybody_hears) {
    make(at("a"));
    probe another{*servers_};
    watch<get_op>(me, at("a"));
    watch<get_op>(watcher_, at("a"));
    watch<children_op>(another, at("a"));
    remove(at("a"));
    for (probe* p : {&me, &watcher_, &another}) {
        EXPECT_THAT(p->events(), ElementsAre("deleted " + at("a")));
    }
}

TEST_F(contract_watches, an_event_comes_before_the_reply_to_what_caused_it) {
    make(at("a"));
    watch<get_op>(me, at("a"));
    watch<children_op>(me, folder());
    static_cast<void>(me.heard());
    const core::ticket id = me.submit(remove_op{at("a")});
    me.wait(id);
    EXPECT_THAT(me.heard(), ElementsAre("deleted " + at("a"), "children " + folder(),
                                        "reply " + std::to_string(static_cast<std::uint64_t>(id))));
}

TEST_F(contract_watches, an_event_comes_before_the_reply_that_shows_its_effect) {
    make(at("a"));
    static_cast<void>(watcher_.heard());
    const core::ticket armed = watcher_.submit(get_op{at("a"), core::watch_mode::watch});
    watcher_.wait(armed);
    me.ask(set_op{at("a"), "new"});
    const core::ticket seen = watcher_.submit(get_op{at("a")});
    EXPECT_EQ(watcher_.wait(seen).data, "new");
    const auto reply = [](core::ticket id) {
        return "reply " + std::to_string(static_cast<std::uint64_t>(id));
    };
    EXPECT_THAT(watcher_.heard(), ElementsAre(reply(armed), "changed " + at("a"), reply(seen)));
}

TEST_F(contract_watches, a_multi_fires_part_by_part) {
    make(at("a"));
    make(at("b"));
    watch<exists_op>(watcher_, at("c"));
    watch<get_op>(watcher_, at("a"));
    watch<get_op>(watcher_, at("b"));
    watch<children_op>(watcher_, folder());
    me.ask(multi_op{{set_op{at("b")}, create_op{at("c")}, remove_op{at("a")}, set_op{at("c")}}});
    EXPECT_THAT(watcher_.events(), ElementsAre("changed " + at("b"), "created " + at("c"),
                                               "children " + folder(), "deleted " + at("a")));
}

TEST_F(contract_watches, a_closed_session_s_nodes_are_told) {
    probe other{*servers_};
    other.ask(create_op{at("a"), "", create_mode::ephemeral});
    other.ask(create_op{at("b"), "", create_mode::ephemeral});
    watch<get_op>(watcher_, at("a"));
    watch<get_op>(watcher_, at("b"));
    watch<children_op>(watcher_, folder());
    other.close();
    EXPECT_THAT(watcher_.events(), UnorderedElementsAre("deleted " + at("a"), "deleted " + at("b"),
                                                        "children " + folder()));
}

TEST_F(contract_watches, a_forgotten_watch_is_silent_and_can_be_set_again) {
    make(at("a"));
    watch<get_op>(watcher_, at("a"));
    watch<exists_op>(watcher_, at("none"));
    watch<children_op>(watcher_, at("a"));
    watcher_.forget(at("a"));
    watcher_.forget(at("none"));
    watcher_.forget(at("never watched"));
    me.ask(set_op{at("a")});
    make(at("none"));
    EXPECT_THAT(watcher_.events(), IsEmpty());
    make(at("a/b"));
    EXPECT_THAT(watcher_.events(), IsEmpty());
    watch<children_op>(watcher_, at("a"));
    watch<get_op>(watcher_, at("a"));
    make(at("a/c"));
    EXPECT_THAT(watcher_.events(), ElementsAre("children " + at("a")));
    me.ask(set_op{at("a")});
    EXPECT_THAT(watcher_.events(), ElementsAre("changed " + at("a")));
}

// forget_watches() may come before the reply to the request that sets the watch.
TEST_F(contract_watches, forgetting_at_once_does_no_harm) {
    make(at("a"));
    const core::ticket id = watcher_.submit(get_op{at("a"), core::watch_mode::watch});
    watcher_.forget(at("a"));
    EXPECT_EQ(watcher_.wait(id).error, server_error::ok);
    watch<get_op>(watcher_, at("a"));
    static_cast<void>(watcher_.events());
    me.ask(set_op{at("a")});
    EXPECT_THAT(watcher_.events(), ElementsAre("changed " + at("a")));
}

}  // namespace
}  // namespace turnstile::contract
