/* tests/unit/test_permissions.c -- env/permissions.h  SPDX-License-Identifier: MIT */
#include "env/permissions.h"
#include "tests/test.h"

#include <errno.h>

static const struct guest_mount mounts[] = {
    { "/srv/data", "/data", 0 }, { "/srv/deep", "/data/deep", 1 },
    { "/srv/out", "/out", 1 },
};
static struct permissions p;
static struct err why;

static int reads(const char *json)
{
    permissions_free(&p);
    permissions_init(&p);
    why = (struct err){ 0 };
    return permissions_read(&p, str_of(json), mounts, COUNT(mounts), &why);
}

static void refused(const char *json, const char *words)
{
    if (reads(json) != -EINVAL)
        TEST_FAIL("accepted: %s", json);
    if (!strstr(why.msg, words))
        TEST_FAIL("%s says: %s", json, why.msg);
}

static void accepted(const char *json)
{
    if (reads(json) < 0)
        TEST_FAIL("%s refused: %s", json, why.msg);
}

/* The rows of fs: "/workspace rw,/data r" */
static const char *rows(const char *json)
{
    static char text[1024];
    size_t n = 0;
    accepted(json);
    text[0] = '\0';
    for (size_t i = 0; i < p.paths; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s%s", i ? "," : "",
                              p.path[i].at, p.path[i].rights & PATH_READ ? "r" : "",
                              p.path[i].rights & PATH_WRITE ? "w" : "");
    return text;
}

static const char *net(const char *json)
{
    static char text[1024];
    accepted(json);
    snprintf(text, sizeof text, "%.*s", (int)p.net_rules.len,
             p.net_rules.at ? p.net_rules.at : "");
    return text;
}

static const char *words(const char *json)
{
    static char text[256];
    AUTO_BUF b;
    accepted(json);
    buf_init(&b, sizeof text - 1);
    permissions_words(&p, &b);
    snprintf(text, sizeof text, "%.*s", (int)b.len, b.at);
    return text;
}

#define FS(rules)  "{\"fs\":{\"rules\":[" rules "]}}"
#define NET(rules) "{\"net\":{\"rules\":[" rules "]}}"
#define RULE(mode, ops, key, list) \
    "{\"mode\":\"" mode "\",\"operations\":[" ops "],\"" key "\":[" list "]}"

TEST(without_a_word_net_is_denied_and_the_rest_allowed)
{
    CHECK_TEXT(words("{}"), "{\"net\":\"deny\",\"fs\":\"allow\",\"child_process\":"
               "\"allow\",\"process\":\"allow\",\"env\":\"allow\"}");
    CHECK_TEXT(net("{}"), "");
    CHECK(permissions_env(&p, STR("HOME")));
}

TEST(a_policy_is_laid_over_the_defaults)
{
    CHECK_TEXT(words("{\"network\":\"allow\",\"childProcess\":\"deny\"}"),
               "{\"net\":\"allow\",\"fs\":\"allow\",\"child_process\":\"deny\","
               "\"process\":\"allow\",\"env\":\"allow\"}");
    CHECK_TEXT(net("{\"net\":\"allow\"}"), "allow *\n");
    CHECK_TEXT(words("{\"env\":\"ask\",\"fs\":\"deny\"}"),
               "{\"net\":\"deny\",\"fs\":\"deny\",\"child_process\":\"allow\","
               "\"process\":\"allow\",\"env\":\"deny\"}");
}

TEST(empty_lists_are_refused_in_the_known_words)
{
    refused(FS(RULE("allow", "", "paths", "\"**\"")),
            "invalid permissions policy: fs.rules[0].operations must not be empty; "
            "use [\"*\"] for wildcard");
    refused(FS(RULE("allow", "\"*\"", "paths", "\"**\"") ","
               RULE("deny", "\"read\"", "paths", "")),
            "fs.rules[1].paths must not be empty; use [\"*\"] for wildcard");
    refused("{\"fs\":{\"rules\":[{\"mode\":\"allow\",\"operations\":[\"*\"]}]}}",
            "fs.rules[0].paths must not be empty");
    refused("{\"env\":{\"rules\":[{\"mode\":\"allow\",\"patterns\":[\"*\"]}]}}",
            "env.rules[0].operations must not be empty");
}

TEST(unknown_words_are_refused_with_the_nearest)
{
    refused("{\"nett\":\"allow\"}", "no scope is named 'nett'; did you mean net?");
    refused("{\"net\":\"yes\"}", "net must be \"allow\" or \"deny\"");
    refused("{\"fs\":{\"rule\":[]}}", "fs: no member is named 'rule'; did you mean rules?");
    refused(FS(RULE("allow", "\"raed\"", "paths", "\"**\"")), "did you mean read?");
    refused(FS(RULE("sometimes", "\"*\"", "paths", "\"**\"")), "fs.rules[0].mode must be");
    refused("{\"fs\":{\"rules\":[{\"operations\":[\"*\"],\"paths\":[\"*\"]}]}}", "has no mode");
    refused("{\"fs\":{\"rules\":{}}}", "fs.rules must be an array");
    refused("{\"fs\":{\"rules\":[1]}}", "fs.rules[0] must be an object");
    refused("{\"net\":\"allow\",\"network\":\"deny\"}", "net stands twice");
    refused("{\"net\":\"allow\",\"net\":\"deny\"}", "stands twice");
    refused("[]", "it must be an object");
    refused("{", "not JSON");
    refused("{\"tool\":\"allow\"}", "no scope is named 'tool'");
}

/* ---- files ------------------------------------------------------------------ */

TEST(fs_denied_leaves_no_folder)
{
    CHECK_TEXT(rows("{\"fs\":\"deny\"}"), "");
    CHECK_TEXT(rows("{\"fs\":{}}"), "");
    CHECK_INT(p.fs, PERMISSION_SOME);
    CHECK_TEXT(rows("{\"fs\":{\"default\":\"allow\"}}"),
               "/workspace rw,/tmp rw,/dev/shm rw,/data rw,/out rw");
}

TEST(the_last_rule_that_matches_decides)
{
    CHECK_TEXT(rows(FS(RULE("allow", "\"*\"", "paths", "\"**\""))),
               "/workspace rw,/tmp rw,/dev/shm rw,/data rw,/out rw");
    CHECK_TEXT(rows(FS(RULE("allow", "\"read\"", "paths", "\"**\"") ","
                       RULE("allow", "\"write\"", "paths", "\"/workspace/**\""))),
               "/workspace rw,/tmp r,/dev/shm r,/data r,/out r");
    CHECK_TEXT(rows(FS(RULE("allow", "\"*\"", "paths", "\"**\"") ","
                       RULE("deny", "\"*\"", "paths", "\"/tmp/**\",\"/dev/shm/**\"") ","
                       RULE("deny", "\"write\"", "paths", "\"/data/**\""))),
               "/data r,/workspace rw,/out rw");
    CHECK_TEXT(rows(FS(RULE("deny", "\"*\"", "paths", "\"/tmp/**\"") ","
                       RULE("allow", "\"*\"", "paths", "\"/tmp/**\""))), "/tmp rw");
}

TEST(a_folder_goes_with_what_is_beneath)
{
    CHECK_TEXT(rows(FS(RULE("allow", "\"read\",\"stat\",\"readdir\"", "paths",
                            "\"/workspace\",\"/workspace/**\""))), "/workspace r");
    refused(FS(RULE("allow", "\"read\"", "paths", "\"/workspace\"")), "write /workspace/**");
    refused(FS(RULE("deny", "\"*\"", "paths", "\"/data\"")), "write /data/**");
}

TEST(more_may_be_allowed_below_a_mount_but_not_less)
{
    CHECK_TEXT(rows(FS(RULE("allow", "\"read\"", "paths", "\"/data/**\"") ","
                       RULE("allow", "\"*\"", "paths", "\"/data/in/**\""))),
               "/data r,/data/in rw");
    refused(FS(RULE("allow", "\"*\"", "paths", "\"/data/**\"") ","
               RULE("deny", "\"*\"", "paths", "\"/data/secret/**\"")),
            "fs.rules[1]: /data/secret is denied below /data");
    refused(FS(RULE("allow", "\"*\"", "paths", "\"/data/**\"") ","
               RULE("deny", "\"write\"", "paths", "\"/data/deep/**\"")),
            "fs.rules[1]: /data/deep is denied below /data");
    refused(FS(RULE("allow", "\"*\"", "paths", "\"**\"") ","
               RULE("deny", "\"read\",\"write\"", "paths", "\"/workspace/x/**\"")),
            "/workspace/x is denied below /workspace");
}

TEST(what_does_not_stand_yet_is_refused_unless_it_changes_nothing)
{
    refused(FS(RULE("allow", "\"*\"", "paths", "\"/workspace/x/**\"")),
            "/workspace/x does not exist yet");
    CHECK_TEXT(rows(FS(RULE("allow", "\"*\"", "paths", "\"/workspace/**\"") ","
                       RULE("allow", "\"*\"", "paths", "\"/workspace/x/**\""))),
               "/workspace rw");
    refused(FS(RULE("allow", "\"*\"", "paths", "\"/home/me/**\"")),
            "there is no /home/me inside; show a folder of yours with --mount");
    CHECK_TEXT(rows(FS(RULE("deny", "\"*\"", "paths", "\"/home/me/**\""))), "");
}

TEST(the_runtime_stays_readable)
{
    CHECK_TEXT(rows(FS(RULE("allow", "\"read\"", "paths", "\"/usr/**\",\"/etc/**\""))), "");
    refused("{\"fs\":{\"default\":\"allow\",\"rules\":["
            RULE("deny", "\"read\"", "paths", "\"/etc/**\"") "]}}",
            "/etc belongs to the runtime");
}

TEST(what_the_kernel_cannot_tell_apart_is_refused)
{
    refused(FS(RULE("allow", "\"write\"", "paths", "\"/workspace/**\"")),
            "may be written but not read");
    refused(FS(RULE("allow", "\"readdir\"", "paths", "\"/workspace/**\"")), "name \"read\" too");
    refused(FS(RULE("deny", "\"rm\"", "paths", "\"**\"")), "name \"write\" too");
    refused(FS(RULE("deny", "\"stat\"", "paths", "\"**\"")), "cannot deny stat");
    CHECK_TEXT(rows(FS(RULE("allow", "\"stat\",\"mount_sensitive\"", "paths", "\"**\""))), "");
}

TEST(patterns_that_are_no_folder_are_refused)
{
    static const char *const bad[] = { "/workspace/*.txt", "/workspace/*/x/**", "/a?/**",
                                       "/{a,b}/**", "/data/*" };
    for (size_t i = 0; i < COUNT(bad); i++) {
        char json[300];
        snprintf(json, sizeof json, FS(RULE("allow", "\"*\"", "paths", "\"%s\"")), bad[i]);
        refused(json, "wildcard inside");
    }
    refused(FS(RULE("allow", "\"*\"", "paths", "\"workspace/**\"")), "not an absolute path");
    refused(FS(RULE("allow", "\"*\"", "paths", "\"/data/../etc/**\"")), "not an absolute path");
    refused(FS(RULE("allow", "\"*\"", "paths", "\"\"")), "must be texts");
}

/* ---- hosts, variables, processes -------------------------------------------- */

TEST(hosts_become_rules_in_order)
{
    CHECK_TEXT(net(NET(RULE("allow", "\"*\"", "patterns",
                            "\"tcp://api.x.org:443\",\"dns://api.x.org\",\"*.y.org\"") ","
                       RULE("deny", "\"fetch\",\"http\"", "patterns", "\"bad.y.org\""))),
               "allow api.x.org:443\nallow *.y.org\ndeny bad.y.org\n");
    CHECK_TEXT(net(NET(RULE("allow", "\"*\"", "patterns", "\"**\""))), "allow *\n");
    CHECK_TEXT(net(NET(RULE("allow", "\"http\"", "patterns",
                            "\"https://a.org\",\"http://b.org\",\"tcp://c.org:*\""))),
               "allow a.org:443\nallow b.org:80\nallow c.org:*\n");
    CHECK_TEXT(net("{\"net\":{\"default\":\"allow\",\"rules\":["
                   RULE("deny", "\"*\"", "patterns", "\"tcp://*:80\"") "]}}"),
               "allow *\ndeny *:80\n");
    CHECK_TEXT(net(NET(RULE("deny", "\"dns\"", "patterns", "\"dns://x.org\"") ","
                       RULE("allow", "\"dns\"", "patterns", "\"y.org\""))), "deny x.org\n");
    CHECK_TEXT(net(NET(RULE("allow", "\"listen\"", "patterns", "\"*\""))), "");
}

TEST(what_is_no_host_is_refused)
{
    refused(NET(RULE("allow", "\"*\"", "patterns", "\"udp://x.org:53\"")), "only TCP goes out");
    refused(NET(RULE("allow", "\"*\"", "patterns", "\"https://x.org/v1\"")), "HOST:PORT");
    refused(NET(RULE("allow", "\"*\"", "patterns", "\"a\\nallow *\"")), "is not a host");
    refused(NET(RULE("allow", "\"*\"", "patterns", "\"a # b\"")), "is not a host");
    refused(NET(RULE("allow", "\"*\"", "patterns", "\"tcp://\"")), "is not a host");
    refused(NET(RULE("deny", "\"listen\"", "patterns", "\"*\"")), "its own");
}

TEST(a_host_can_be_added)
{
    accepted("{}");
    CHECK_INT(permissions_allow_host(&p, "x.org:8443", &why), 0);
    CHECK(p.net == PERMISSION_SOME && str_is(buf_str(&p.net_rules), "allow x.org:8443\n"));
    CHECK_INT(permissions_allow_host(&p, "a b", &why), -EINVAL);
    CHECK_INT(permissions_allow_host(&p, "", &why), -EINVAL);
}

TEST(variables_are_passed_on_by_rule)
{
    accepted("{\"env\":{\"rules\":["
             RULE("allow", "\"read\"", "patterns", "\"APP_*\",\"PATH\"") ","
             RULE("deny", "\"*\"", "patterns", "\"*_SECRET\"") "]}}");
    CHECK(permissions_env(&p, STR("APP_MODE")) && permissions_env(&p, STR("PATH")));
    CHECK(!permissions_env(&p, STR("APP_SECRET")) && !permissions_env(&p, STR("HOME")));
    accepted("{\"env\":\"deny\"}");
    CHECK(!permissions_env(&p, STR("PATH")));
    refused("{\"env\":{\"rules\":[" RULE("deny", "\"write\"", "patterns", "\"*\"") "]}}",
            "always write its own variables");
}

TEST(processes_are_all_or_none)
{
    accepted("{\"child_process\":{\"rules\":[" RULE("allow", "\"spawn\"", "patterns", "\"*\"")
             "]}}");
    CHECK_INT(p.child_process, PERMISSION_ALLOW);
    accepted("{\"child_process\":{\"rules\":[]}}");
    CHECK_INT(p.child_process, PERMISSION_DENY);
    accepted("{\"child_process\":{\"default\":\"allow\"}}");
    CHECK_INT(p.child_process, PERMISSION_ALLOW);
    refused("{\"child_process\":{\"rules\":["
            RULE("allow", "\"spawn\"", "patterns", "\"git\"") "]}}", "all or none");
    refused("{\"process\":\"deny\"}", "process cannot be denied");
    accepted("{\"process\":\"allow\"}");
}

TEST(stars_stop_at_slashes_unless_there_are_two)
{
    CHECK(permission_matches("*", STR("abc")) && !permission_matches("*", STR("a/b")));
    CHECK(permission_matches("**", STR("a/b")) && permission_matches("**", STR("")));
    CHECK(permission_matches("a?c", STR("abc")) && !permission_matches("a?c", STR("a/c")));
    CHECK(permission_matches("a**z", STR("a/b/z")) && !permission_matches("a*z", STR("a/z")));
    CHECK(!permission_matches("a", STR("ab")) && !permission_matches("ab", STR("a")));
}
