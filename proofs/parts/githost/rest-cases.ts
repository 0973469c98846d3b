import { at, type Client, column, count } from './client.ts'

/** People and what they see, repositories, lists, tags and limits: each route with what it must refuse. */
export async function restCases(client: Client): Promise<void> {
  const { lab, call, status, is } = client
  const host = lab.do
  for (const login of ['ada', 'bob', 'mallory']) host.user({ login })
  host.org({ login: 'acme', members: { ada: 'admin', bob: 'member' } })
  await host.repo({ full: 'acme/shop', private: true, files: { 'package.json': '{}', 'src/index.js': 'one\n' } })
  await host.repo({ full: 'acme/open', files: { 'README.md': '# open\n' } })
  await host.repo({ full: 'ada/own', private: true, autoInit: true })
  const ada = host.token({ login: 'ada', scopes: ['repo', 'delete_repo', 'read:org'] }).token
  const bob = host.token({ login: 'bob' }).token
  const mallory = host.token({ login: 'mallory' }).token
  const weak = host.token({ login: 'ada', scopes: [] }).token

  await status('no credential: whose account?', 401, call('GET', '/user'))
  await status('an unknown token', 401, call('GET', '/user', 'ghp_nobody'))
  await status('an unknown token, for something public', 401, call('GET', '/repos/acme/open', 'ghp_nobody'))
  const own = await status('own account', 200, call('GET', '/user', ada))
  is('scopes are told', own.header('x-oauth-scopes'), 'repo, delete_repo, read:org')
  const old = host.token({ login: 'ada' }).token
  host.expire({ token: old })
  await status('an expired token', 401, call('GET', '/user', old))
  await status('no user agent', 403, call('GET', '/user', ada, undefined, { 'user-agent': '' }))
  await status('root', 200, call('GET', '/', ada))
  await status('meta', 200, call('GET', '/meta'))
  const broken = { method: 'POST', headers: { authorization: `Bearer ${ada}` }, body: '{' }
  is('a body that is not JSON', (await client.fetch(`${client.api}/user/repos`, broken)).status, 400)

  await status('a stranger’s private repository looks nonexistent', 404, call('GET', '/repos/acme/shop', mallory))
  await status('and one’s own without the scope', 404, call('GET', '/repos/acme/shop', weak))
  await status('a member sees it', 200, call('GET', '/repos/acme/shop', bob))
  await status('a public one needs no credential', 200, call('GET', '/repos/acme/open'))
  is('own repositories', count((await call('GET', '/user/repos?per_page=100', ada)).body), 3)
  is('owned ones', column((await call('GET', '/user/repos?affiliation=owner', ada)).body, 'name'), ['own'])
  await status('whose repositories?', 401, call('GET', '/user/repos'))
  is('organizations', column((await call('GET', '/user/orgs', ada)).body, 'login'), ['acme'])
  is('an organization’s repositories', count((await call('GET', '/orgs/acme/repos', ada)).body), 2)
  is('of which a stranger sees the public ones', count((await call('GET', '/orgs/acme/repos', mallory)).body), 1)
  await status('a person is no organization', 404, call('GET', '/orgs/ada/repos', ada))
  is('membership', at((await call('GET', '/user/memberships/orgs/acme', bob)).body, 'role'), 'member')
  await status('no membership', 404, call('GET', '/user/memberships/orgs/acme', mallory))
  is('another’s membership', at((await call('GET', '/orgs/acme/memberships/ada', bob)).body, 'role'), 'admin')
  await status('of nobody', 404, call('GET', '/orgs/acme/memberships/mallory', ada))
  await status('organization', 200, call('GET', '/orgs/acme', ada))
  await status('no organization', 404, call('GET', '/orgs/none', ada))
  await status('person', 200, call('GET', '/users/bob', ada))
  await status('nobody', 404, call('GET', '/users/none', ada))
  is('a person’s public repositories', count((await call('GET', '/users/ada/repos', ada)).body), 0)
  const permission = '/repos/acme/shop/collaborators/bob/permission'
  is('a person’s level', at((await call('GET', permission, ada)).body, 'permission'), 'write')
  await status('the level of nobody', 404, call('GET', permission.replace('bob', 'none'), ada))

  await status('create one', 201, call('POST', '/user/repos', ada, { name: 'fresh', private: true, auto_init: true }))
  await status('create it twice', 422, call('POST', '/user/repos', ada, { name: 'fresh' }))
  await status('create with a name that is none', 422, call('POST', '/user/repos', ada, { name: '$(id)' }))
  await status('create without a credential', 401, call('POST', '/user/repos', '', { name: 'x' }))
  await status('create without the scope', 404, call('POST', '/user/repos', weak, { name: 'x' }))
  await status('create in the organization', 201, call('POST', '/orgs/acme/repos', ada, { name: 'new', private: true }))
  await status('a stranger may not', 404, call('POST', '/orgs/acme/repos', mallory, { name: 'new2' }))
  await status('a member may not delete', 403, call('DELETE', '/repos/acme/new', bob))
  await status('delete', 204, call('DELETE', '/repos/ada/fresh', ada))
  await status('it is gone', 404, call('GET', '/repos/ada/fresh', ada))
  await status('rename', 200, call('PATCH', '/repos/acme/new', ada, { name: 'renamed', description: 'Once new' }))
  await status('rename to a name that is taken', 422, call('PATCH', '/repos/acme/renamed', ada, { name: 'shop' }))
  await status('a member may not rename', 403, call('PATCH', '/repos/acme/renamed', bob, { name: 'x' }))
  const moved = await status('a former name leads on', 301, call('GET', '/repos/acme/new', ada))
  const { hostname, pathname } = new URL(moved.header('location'))
  is('to the same API', hostname, `api.${lab.host}`)
  is('and there it is', at((await call('GET', pathname, ada)).body, 'name'), 'renamed')
  await status('transfer', 202, call('POST', '/repos/acme/renamed/transfer', ada, { new_owner: 'ada' }))
  await status('it belongs to another', 200, call('GET', '/repos/ada/renamed', ada))
  await status('transfer to nobody', 422, call('POST', '/repos/ada/renamed/transfer', ada, { new_owner: 'none' }))

  await conditionalCases(client, ada)
  await guardCases(client, ada)
  await graphqlCases(client, ada)
}

async function conditionalCases({ lab, call, status, is }: Client, ada: string): Promise<void> {
  const first = await call('GET', '/repos/acme/shop', ada)
  const tag = { 'if-none-match': first.header('etag') }
  const left = async () => at((await call('GET', '/rate_limit', ada)).body, 'rate.remaining')
  const before = await left()
  await status('a tag that fits', 304, call('GET', '/repos/acme/shop', ada, undefined, tag))
  is('which costs nothing', await left(), before)
  const second = lab.do.token({ login: 'ada' }).token
  // Not tried at github.com for every route: that tags differ by token.
  await status('another token, another tag', 200, call('GET', '/repos/acme/shop', second, undefined, tag))
  const since = { 'if-modified-since': first.header('last-modified') }
  await status('Last-Modified holds for every token', 304, call('GET', '/repos/acme/shop', second, undefined, since))
  await lab.do.repos({ owner: 'acme', count: 250 })
  const { header } = await call('GET', '/orgs/acme/repos?per_page=100', ada)
  is('pages lead on', /page=2>; rel="next".*page=3>; rel="last"/.test(header('link')), true)
  is('the last page', count((await call('GET', '/orgs/acme/repos?per_page=100&page=3', ada)).body), 52)
}

/** What organizations put before credentials. */
async function guardCases({ lab, call, status, is }: Client, ada: string): Promise<void> {
  lab.do.org({ login: 'saml', members: { ada: 'admin' }, sso: true })
  await lab.do.repo({ full: 'saml/app', private: true, autoInit: true })
  const blocked = await status('SAML', 403, call('GET', '/repos/saml/app', ada))
  is('says where to authorize', /^required; url=https:/.test(blocked.header('x-github-sso')), true)
  const partial = (await call('GET', '/user/repos', ada)).header('x-github-sso')
  is('lists say what they leave out', /^partial-results; organizations=\d+$/.test(partial), true)
  lab.do.authorizeSso({ token: ada, org: 'saml' })
  await status('SAML: authorized', 200, call('GET', '/repos/saml/app', ada))
  lab.do.org({ login: 'walled', members: { ada: 'admin' }, ipAllowList: ['10.0.0.1'] })
  await lab.do.repo({ full: 'walled/app', private: true, autoInit: true })
  const walled = await status('address list', 403, call('GET', '/repos/walled/app', ada))
  is('says so', /IP allow list/.test(String(at(walled.body, 'message'))), true)
  await status('address list: the organization', 403, call('GET', '/orgs/walled', ada))
  lab.do.org({ login: 'walled', ipAllowList: ['127.0.0.1'] })
  await status('address list: one that is on it', 200, call('GET', '/repos/walled/app', ada))
}

async function graphqlCases({ lab, call, is }: Client, ada: string): Promise<void> {
  const viewer = await call('POST', '/graphql', ada, { query: 'query { viewer { login } }' })
  is('who signed in', at(viewer.body, 'data.viewer.login'), 'ada')
  const names = Array.from({ length: 100 }, (_, number) => (number === 99 ? 'none' : 'shop'))
  const wanted = names.map(
    (name, number) =>
      `r${number}: repository(owner: "acme", name: "${name}") { ref(qualifiedName: "refs/heads/main") { target { oid } } }`,
  )
  lab.do.requests()
  const { body } = await call('POST', '/graphql', ada, { query: `{ ${wanted.join(' ')} }` })
  const head = at((await call('GET', '/repos/acme/shop/git/ref/heads/main', ada)).body, 'object.sha')
  const oids = names.slice(0, 99).map((_, number) => at(body, `data.r${number}.ref.target.oid`))
  // Not tried at github.com: that a hundred aliases cost one point.
  is('a hundred heads in one request', [oids.every((oid) => oid === head), lab.do.requests().length], [true, 2])
  is('the one that is not there', [at(body, 'data.r99'), at(body, 'errors.0.type')], [null, 'NOT_FOUND'])
}
