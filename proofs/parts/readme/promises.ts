/** What a reader is told to see after each block of a page: every one of these, in the answers of that block. */
export const promises: Record<string, RegExp[][]> = {
  'docs/tutorials/first-deployment.md': [
    [/you@example\.com/, /here added/, /Docker/],
    [/slipway\.json written/, /http:\/\/hello\.localhost:4680/],
    [/"hello":"world","version":1/],
    [/1 file sent/, /"hello":"world","version":2/],
    [/exit code 5/, /"hello":"world","version":2/],
    [/failed/, /ready/],
    [/"hello":"world","version":1/],
    [],
  ],
  'docs/tutorials/first-request.md': [
    [],
    [/"email":"you@example\.com"/, /"permissions":\[/],
    [/"created":true/, /"created":false/],
    [/"name":"DATABASE_URL"/, /^(?!.*shop:secret)/s],
    [/postgres:\/\/shop:secret@db\/shop/, /"action":"variable\.reveal"/],
    [/"state":"sealed"/],
    [/"missing":\[\]/],
    [/"code":"not_found"/, /name: must not be empty/, /"requestId":"req_/],
    [/"name":"shop"/, /"code":"permission_denied"/],
  ],
  'docs/tutorials/first-deployment-with-curl.md': [
    [/"id":"srv_/, /"report":\{/],
    [/"name":"hello-curl"/, /"state":"sealed"/],
    [/"deployment_id":"dep_/, /event: end/, /"status":\s*"ready"/],
    [/"urls":\["http:\/\/hello-curl\.localhost:4680"\]/, /"hello":"world","version":1/],
    [/event: end/, /"hello":"world","version":2/],
    [/"status":\s*"failed"/, /"code":"crashed"/, /"hint":"/, /"hello":"world","version":2/],
    [/"trigger":"rollback"/, /event: end/, /"hello":"world","version":1/],
    [/"success":true/],
  ],
  // What is done in the browser, `bin/prove dashboard` does; here are the folders that it is done with.
  'docs/tutorials/first-deployment-in-the-browser.md': [[], [], []],
}
