/* cli/js_network.c -- the network of a js program.
 * SPDX-License-Identifier: MIT */
#include "cli/js_network.h"
#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_BYTES = 1 << 20, SECRETS_BYTES = 64 << 10 };

static int add_rules(struct js_network *n, const struct text_list *hosts,
                     struct err *e)
{
    for (size_t i = 0; i < hosts->n; i++) {
        if (strchr(hosts->at[i], '\n'))
            return err_set(e, -EINVAL, "--allow-net: one rule is one line");
        buf_addf(&n->rules, "allow %s\n", hosts->at[i]);
    }
    if (n->rules.failed)
        return err_set(e, n->rules.failed, "--allow-net: too many rules");
    struct err why = { 0 };
    int r = net_policy_parse(buf_str(&n->rules), &n->policy, &why);
    return r < 0 ? err_set(e, r, "--allow-net: %s", why.msg) : 0;
}

/* NAME@HOST: the value is our caller's variable NAME, and stays with us. */
static int read_secret(const char *text, struct egress_secret *out,
                       struct err *e)
{
    char name[128];
    const char *at = strchr(text, '@');
    if (!at || at == text || !at[1] || (size_t)(at - text) >= sizeof name)
        return err_set(e, -EINVAL, "--secret: '%.60s' is not NAME@HOST, e.g. "
                       "--secret API_KEY@api.example.com", text);
    memcpy(name, text, (size_t)(at - text));
    name[at - text] = '\0';
    const char *value = getenv(name);
    if (!value)
        return err_set(e, -EINVAL, "--secret: there is no variable %s in the "
                       "environment to take its value from", name);
    *out = (struct egress_secret){ { text, (size_t)(at - text) },
                                   str_of(value), str_of(at + 1) };
    struct err why = { 0 };
    int r = net_secret_check(out->name, out->value, out->host, &why);
    return r < 0 ? err_set(e, r, "--secret %s: %s", name, why.msg) : 0;
}

static int read_secrets(struct js_network *n, const struct text_list *list,
                        struct egress_secret *out, struct err *e)
{
    if (list->n > EGRESS_MAX_SECRETS)
        return err_set(e, -EINVAL, "--secret: more than %d", EGRESS_MAX_SECRETS);
    json_open(&n->secrets, '{');
    for (size_t i = 0; i < list->n; i++) {
        int r = read_secret(list->at[i], &out[i], e);
        if (r < 0)
            return r;
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)out[i].name.len, out[i].name.at);
        json_key(&n->secrets, name);
        AUTO_BUF placeholder;
        buf_init(&placeholder, 256);
        buf_addf(&placeholder, EGRESS_PLACEHOLDER "%s", name);
        json_string(&n->secrets, buf_str(&placeholder));
    }
    json_close(&n->secrets, '}');
    return n->secrets.failed;
}

int js_network_make(struct js_network *n, const struct run_options *o,
                    struct err *e)
{
    struct egress_secret secret[EGRESS_MAX_SECRETS];
    buf_init(&n->rules, RULES_BYTES);
    buf_init(&n->secrets, SECRETS_BYTES);
    if (!o->allow_net.n)
        return o->secrets.n ? err_set(e, -EINVAL, "--secret: without --allow-net "
                                      "HOST there is nobody to send it to") : 0;
    int r = add_rules(n, &o->allow_net, e);
    if (r == 0 && o->secrets.n)
        r = read_secrets(n, &o->secrets, secret, e);
    if (r < 0)
        return r;
    struct network_spec spec = { .policy = &n->policy, .rules = buf_str(&n->rules),
                                 .secret = secret, .secrets = o->secrets.n };
    return network_open(&spec, &n->network, e);
}

void js_network_free(struct js_network *n)
{
    network_close(n->network);
    net_policy_free(&n->policy);
    buf_free(&n->rules);
    buf_free(&n->secrets);
}
