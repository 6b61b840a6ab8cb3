// The help text of the command-line program.

/** Printed by `--help`. */
export const USAGE = `optiongraph serves a self-describing HaveAPI management API as GraphQL.

  optiongraph serve [options]     serves GraphQL at /graphql, and GraphiQL there for browsers (the default command)
    --port N            PORT                    port to listen on (default: 4000)
    --host NAME         HOST                    address to listen on (default: 127.0.0.1)
    --upstream URL      UPSTREAM_URL            address of the management API (default: an embedded sandbox)
    --api-version V     API_VERSION             version of the API (default: the upstream's); repeat it (A,B in the
                                                environment) to serve further ones at /graphql/<version>
    --schema-mode MODE  SCHEMA_MODE             caller: one schema for each caller's rights (the default);
                                                fixed: the schema of UPSTREAM_AUTHORIZATION for all callers
    --basic-from-browsers  BASIC_FROM_BROWSERS  1: accept HTTP basic from browsers, which the specification forbids
    --overrides FILE    OVERRIDES               JSON file with facts that the description lacks
    --oauth-client-id ID  OAUTH_CLIENT_ID       lets browsers sign in at the API's OAuth 2.0 provider with this client id
                        OAUTH_CLIENT_SECRET     secret of the client
    --oauth-scope SCOPE  OAUTH_SCOPE            scope that browsers request (default: the default that the token method
                                                describes, else the provider's)
    --public-url URL    PUBLIC_URL              address under which browsers reach the server (default: loopback only)
    --origins A,B       ORIGINS                 other origins whose pages may use browser sessions (default: none)
                        SESSION_SECRET          encrypts session cookies, 32 characters or more (default: random)
    --cache-dir DIR     CACHE_DIR               stores the last good descriptions, for a start while the upstream is down
                        TRUSTED_PROXIES         addresses or networks whose X-Forwarded-For is trusted, or none
                                                (default: this machine)
    --snippets-url URL  SNIPPETS_URL            address of a snippet service (default: the embedded sandbox's, else none)
                        SNIPPETS_API_KEY        API key for callers who send none in X-Snippets-Api-Key
                        UPSTREAM_AUTHORIZATION  Authorization value that fetches the description; used for nothing else

  optiongraph sandbox [options]   serves only the sandbox's REST API and its snippet service
    --port N            PORT                    port to listen on (default: any free port)
    --host NAME         HOST                    address to listen on (default: 127.0.0.1)
    --anonymous-description WHAT                everything: the description for anonymous callers has all actions, as on
                                                production servers (the default); usable: only those that they may use,
                                                as specified
    --failing-includes ACTION=NAMES             the action answers 500 when a request includes one of these associations,
                                                e.g. book#index=author,shelf; may be repeated
    --live-log N                                the property history of dataset 1 has 2,200 rows, newest first by time with
                                                ties, and gains one at its head after every Nth list of it
    --redirect-uri URI                          another redirect URI of the sandbox's OAuth 2.0 client; may be repeated
    --cancel-blocks                             cancelling an action is itself a blocking action
    --snippets-need-key                         the snippet service requires an API key for each command
                        TRUSTED_PROXIES         addresses or networks whose X-Forwarded-For is trusted, or none
                                                (default: this machine, 127.0.0.0/8,::1)

  optiongraph --help | --version

Exit codes: 0 success, 1 failure, 2 invalid arguments, 3 port in use, 4 upstream host not found, 5 no HaveAPI server,
6 unknown API version.
`;
