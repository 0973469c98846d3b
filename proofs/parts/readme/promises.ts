/** What a reader is told to see after each block of a page: every one of these, in the answers of that block. */
export const promises: Record<string, RegExp[][]> = {
  'docs/tutorials/first-request.md': [
    [],
    [/"email":"you@example\.com"/, /"permissions":\[/],
    [/"created":true/, /"created":false/],
    [/"name":"DATABASE_URL"/, /^(?!.*shop:secret.*shop:secret)/s],
    [/postgres:\/\/shop:secret@db\/shop/, /"action":"variable\.reveal"/],
    [/"state":"sealed"/],
    [/"missing":\[\]/],
    [/"code":"project_not_found"/, /name must not be empty/, /"requestId":"req_/],
    [/"secret":"slp_/, /"slug":"shop"/, /"code":"forbidden"/],
  ],
  'docs/tutorials/first-deployment.md': [
    [/"id":"srv_/, /"ok":true/],
    [/"slug":"hello"/, /"state":"sealed"/],
    [/"deployment_id":"dep_/, /event: end/, /"status":"ready"/],
    [/"urls":\["http:\/\/hello\.localhost:4680"\]/, /"version":\s*1/],
    [/event: end/, /"version":\s*2/],
    [/"status":"failed"/, /"code":"crashed"/, /"hint":"/, /"version":\s*2/],
    [/"trigger":"rollback"/, /event: end/, /"version":\s*1/],
    [/"success":true/],
  ],
}
