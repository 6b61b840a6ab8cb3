/** Printed by `--help`. */
export const USAGE = `optiongraph serves a self-describing HaveAPI management API as GraphQL.

  optiongraph serve [options]     GraphQL at /graphql, GraphiQL there for browsers (the default command)
    --port N            PORT                    port to listen at (4000)
    --host NAME         HOST                    address to listen at (127.0.0.1)
    --upstream URL      UPSTREAM_URL            the management API (default: an embedded sandbox)
    --api-version V     API_VERSION             version of the API (default: the upstream's); may be given more than once
                                                (A,B in the environment): each but the first is at /graphql/<version>
    --schema-mode MODE  SCHEMA_MODE             caller: a schema for each caller's rights (the default);
                                                fixed: for all the one that UPSTREAM_AUTHORIZATION sees
    --basic-from-browsers  BASIC_FROM_BROWSERS  1: take HTTP basic from browsers, which the specification forbids
    --overrides FILE    OVERRIDES               JSON with what the description does not tell
    --oauth-client-id ID  OAUTH_CLIENT_ID       lets browsers sign in at the API's OAuth 2.0 provider as this client
                        OAUTH_CLIENT_SECRET     its secret
    --oauth-scope SCOPE  OAUTH_SCOPE            scope that browsers ask for (default: the described default of the token
                                                method, else the provider's)
    --public-url URL    PUBLIC_URL              where browsers reach the facade (default: this machine's own addresses)
    --origins A,B       ORIGINS                 other origins whose pages may use their sessions (default: none)
                        SESSION_SECRET          encrypts their cookies, 32 characters or more (default: one of the process)
    --cache-dir DIR     CACHE_DIR               keeps the last good descriptions there, for a start with the upstream down
                        TRUSTED_PROXIES         addresses or networks whose X-Forwarded-For is believed, or none
                                                (default: this machine)
    --snippets-url URL  SNIPPETS_URL            a snippet service beside it (default: the embedded sandbox's, else none)
                        SNIPPETS_API_KEY        its key for callers who send none in X-Snippets-Api-Key
                        UPSTREAM_AUTHORIZATION  Authorization value used to fetch the description, and for nothing else

  optiongraph sandbox [options]   the sandbox's REST API alone, and its snippet service
    --port N            PORT                    (0: any free port)
    --host NAME         HOST                    (127.0.0.1)
    --anonymous-description WHAT                everything: anonymous callers are described all there is, as production
                                                servers do (the default); usable: what they may use, as specified
    --failing-includes ACTION=NAMES             the action answers 500 when one of these associations is to be included,
                                                e.g. book#index=author,shelf; may be given more than once
    --live-log N                                the property history of dataset 1 has 2,200 rows, newest first by time with
                                                ties, and gains one at its head after every N lists of it
    --redirect-uri URI                          the OAuth 2.0 client may also send browsers back there (with any port on this
                                                machine); may be given more than once
    --cancel-blocks                             cancelling an action answers with an action state of its own
    --snippets-need-key                         the snippet service takes no command without an API key
                        TRUSTED_PROXIES         addresses or networks whose X-Forwarded-For is believed, or none
                                                (this machine: 127.0.0.0/8,::1)

  optiongraph --help | --version

Exit codes: 0 done, 1 failed, 2 arguments, 3 port taken, 4 upstream's host not found, 5 no HaveAPI server, 6 version unknown.
`;
