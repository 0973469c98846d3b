import { at, type Client, column, count } from './client.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Contents, git's own objects, statuses, deployments and hooks of one repository. */
export async function repositoryCases(client: Client): Promise<void> {
  const { lab } = client
  for (const login of ['ada', 'bob']) lab.do.user({ login })
  lab.do.org({ login: 'acme', members: { ada: 'admin', bob: 'member' } })
  const files = { 'package.json': '{"name":"shop"}', 'src/index.js': 'one\n', 'docs/read me.md': '# hi\n' }
  await lab.do.repo({ full: 'acme/shop', private: true, files })
  await lab.do.repo({ full: 'acme/empty', private: true })
  const ada = lab.do.token({ login: 'ada' }).token
  const bob = lab.do.token({ login: 'bob' }).token
  await contentCases(client, ada)
  const head = await objectCases(client, ada)
  await reportCases(client, ada, head)
  await hookCases(client, ada, bob)
}

async function contentCases({ call, status, is }: Client, ada: string): Promise<void> {
  const shop = '/repos/acme/shop/contents'
  is('root', column((await call('GET', `${shop}/`, ada)).body, 'name'), ['docs', 'package.json', 'src'])
  const file = (await call('GET', `${shop}/package.json`, ada)).body
  is('file', Buffer.from(String(at(file, 'content')), 'base64').toString(), '{"name":"shop"}')
  await status('a path with a space', 200, call('GET', `${shop}/docs/read%20me.md`, ada))
  await status('a missing file', 404, call('GET', `${shop}/none`, ada))
  await status('a path that leads out', 404, call('GET', `${shop}/..%2fx`, ada))
  await status('a missing ref', 404, call('GET', `${shop}/?ref=none`, ada))
  await status('a ref that looks like an option', 404, call('GET', `${shop}/?ref=--output=x`, ada))
  await status('an empty repository', 404, call('GET', '/repos/acme/empty/contents/', ada))
  await status('its commits', 409, call('GET', '/repos/acme/empty/commits', ada))
  const put = (body: object) => call('PUT', `${shop}/a/b.txt`, ada, { message: 'Write', ...body })
  const made = await status('write a file', 201, put({ content: base64('x') }))
  await status('write over it without its id', 422, put({ content: base64('y') }))
  await status('with another id', 409, put({ content: base64('y'), sha: '0'.repeat(40) }))
  await status('with its id', 200, put({ content: base64('y'), sha: at(made.body, 'content.sha') }))
  await status('without a message', 422, call('PUT', `${shop}/c.txt`, ada, { content: '' }))
}

async function objectCases({ call, status, is }: Client, ada: string): Promise<string> {
  const shop = '/repos/acme/shop'
  const tree = (await call('GET', `${shop}/git/trees/main?recursive=1`, ada)).body
  const paths = ['a', 'a/b.txt', 'docs', 'docs/read me.md', 'package.json', 'src', 'src/index.js']
  is('tree', column(at(tree, 'tree'), 'path'), paths)
  await status('a missing tree', 404, call('GET', `${shop}/git/trees/none`, ada))
  await status('blob', 200, call('GET', `${shop}/git/blobs/${at(tree, 'tree.1.sha')}`, ada))
  await status('a blob whose id is none', 422, call('GET', `${shop}/git/blobs/xyz`, ada))
  await status('a missing blob', 404, call('GET', `${shop}/git/blobs/${'1'.repeat(40)}`, ada))
  const head = String(at((await call('GET', `${shop}/branches/main`, ada)).body, 'commit.sha'))
  is('branches', column((await call('GET', `${shop}/branches`, ada)).body, 'name'), ['main'])
  const create = (ref: string, sha = head) => call('POST', `${shop}/git/refs`, ada, { ref, sha })
  await status('a branch with a slash', 201, create('refs/heads/feature/x'))
  await status('twice', 422, create('refs/heads/feature/x'))
  await status('at no commit', 422, create('refs/heads/y', '1'.repeat(40)))
  await status('read it', 200, call('GET', `${shop}/branches/feature/x`, ada))
  await status('no such branch', 404, call('GET', `${shop}/branches/none`, ada))
  is('ref', at((await call('GET', `${shop}/git/ref/heads/main`, ada)).body, 'object.sha'), head)
  await status('no such ref', 404, call('GET', `${shop}/git/ref/heads/none`, ada))
  is('refs that begin so', count((await call('GET', `${shop}/git/matching-refs/heads/`, ada)).body), 2)
  const commits = (await call('GET', `${shop}/commits?per_page=100`, ada)).body
  const first = String(column(commits, 'sha').at(-1))
  is('commits', [count(commits), count((await call('GET', `${shop}/commits?per_page=2`, ada)).body)], [5, 2])
  await status('commits of no branch', 404, call('GET', `${shop}/commits?sha=none`, ada))
  const move = (sha: string, force = false) => call('PATCH', `${shop}/git/refs/heads/feature/x`, ada, { sha, force })
  await status('a branch does not go back by itself', 422, move(first))
  await status('unless it is forced', 200, move(first, true))
  await status('delete it', 204, call('DELETE', `${shop}/git/refs/heads/feature/x`, ada))
  await status('twice it is not there', 422, call('DELETE', `${shop}/git/refs/heads/feature/x`, ada))
  const one = await status('commit', 200, call('GET', `${shop}/commits/main`, ada))
  is('and its files', column(at(one.body, 'files'), 'filename'), ['a/b.txt'])
  await status('no such commit', 422, call('GET', `${shop}/commits/none`, ada))
  is('commit of git', at((await call('GET', `${shop}/git/commits/${head}`, ada)).body, 'sha'), head)
  await status('none', 404, call('GET', `${shop}/git/commits/${'1'.repeat(40)}`, ada))
  const compare = async (range: string) => (await call('GET', `${shop}/compare/${range}`, ada)).body
  const ahead = await compare(`${first}...${head}`)
  const changed = ['a/b.txt', 'docs/read me.md', 'src/index.js']
  is('compare', [at(ahead, 'status'), column(at(ahead, 'files'), 'filename')], ['ahead', changed])
  is('backwards', at(await compare(`${head}...${first}`), 'status'), 'behind')
  is('with itself', at(await compare(`${head}...${head}`), 'status'), 'identical')
  await status('with nothing', 404, call('GET', `${shop}/compare/none...main`, ada))
  await status('archive', 302, call('GET', `${shop}/tarball/main`, ada))
  await status('as zip', 302, call('GET', `${shop}/zipball/main`, ada))
  return head
}

async function reportCases({ call, status, is }: Client, ada: string, head: string): Promise<void> {
  const shop = '/repos/acme/shop'
  const report = (body: object, sha = head) => call('POST', `${shop}/statuses/${sha}`, ada, body)
  const context = 'slipway/shop'
  await status('status', 201, report({ state: 'pending', context, description: 'Building' }))
  await status('a state that is none', 422, report({ state: 'fine' }))
  await status('a description that is too long', 422, report({ state: 'success', description: 'x'.repeat(141) }))
  await status('status of no commit', 422, report({ state: 'success' }, '1'.repeat(40)))
  const deploy = (body: object) => call('POST', `${shop}/deployments`, ada, { ref: head, ...body })
  await status('one’s own pending status is in the way', 409, deploy({}))
  const made = await status('deployment', 201, deploy({ required_contexts: [], environment: 'production' }))
  await status('of no ref', 422, deploy({ ref: 'none' }))
  const path = `${shop}/deployments/${at(made.body, 'id')}`
  await status(
    'its status',
    201,
    call('POST', `${path}/statuses`, ada, { state: 'success', log_url: 'https://x.test' }),
  )
  await status('a state that is none', 422, call('POST', `${path}/statuses`, ada, { state: 'fine' }))
  await status('deployment', 200, call('GET', path, ada))
  await status('no such deployment', 404, call('GET', `${shop}/deployments/1`, ada))
  await status('statuses of none', 404, call('GET', `${shop}/deployments/1/statuses`, ada))
  is('deployments', count((await call('GET', `${shop}/deployments`, ada)).body), 1)
  is('statuses', count((await call('GET', `${path}/statuses`, ada)).body), 1)
  for (let round = 0; round < 2; round += 1) {
    const staged = await deploy({ required_contexts: [], environment: 'staging' })
    await call('POST', `${shop}/deployments/${at(staged.body, 'id')}/statuses`, ada, { state: 'success' })
  }
  const older = at((await call('GET', `${shop}/deployments`, ada)).body, '1.id')
  const last = at((await call('GET', `${shop}/deployments/${older}/statuses`, ada)).body, '0.state')
  const kept = at((await call('GET', `${path}/statuses`, ada)).body, '0.state')
  is('older ones become inactive, but not in production', [last, kept], ['inactive', 'success'])
  await status('green', 201, report({ state: 'success', context }))
  is('combined', at((await call('GET', `${shop}/commits/${head}/status`, ada)).body, 'state'), 'success')
  is('one by one', count((await call('GET', `${shop}/commits/${head}/statuses`, ada)).body), 2)
  await status('of no commit', 404, call('GET', `${shop}/commits/none/status`, ada))
  await status('a check needs an app', 403, call('POST', `${shop}/check-runs`, ada, { name: 'x', head_sha: head }))
}

async function hookCases({ lab, call, status, is, receive }: Client, ada: string, bob: string): Promise<void> {
  const wire = await receive(['s3cret'])
  const hooks = '/repos/acme/shop/hooks'
  const create = (config: object, events = ['push']) => call('POST', hooks, ada, { config, events })
  const made = await status('hook', 201, create({ url: wire.url, content_type: 'json', secret: 's3cret' }))
  is('its secret is not shown', at(made.body, 'config.secret'), '********')
  await status('twice', 422, create({ url: wire.url, content_type: 'json' }))
  await status('an address that is none', 422, create({ url: 'nonsense' }))
  await status('for no event', 422, create({ url: `${wire.url}?x` }, []))
  await status('hooks look nonexistent to who is no admin', 404, call('GET', hooks, bob))
  is('hooks', count((await call('GET', hooks, ada)).body), 1)
  await lab.do.push({ full: 'acme/shop', path: 'src/index.js', content: 'two\n', message: 'Two' })
  await lab.do.delivered()
  is(
    'ping and push arrive, signed',
    wire.got.map(({ event, isGood }) => [event, isGood]),
    [
      ['ping', true],
      ['push', true],
    ],
  )
  const path = `${hooks}/${at(made.body, 'id')}`
  const [push] = (await call('GET', `${path}/deliveries`, ada)).body as { id: number; guid: string }[]
  await status('delivery', 200, call('GET', `${path}/deliveries/${push?.id}`, ada))
  await status('no such delivery', 404, call('GET', `${path}/deliveries/1`, ada))
  await status('again', 202, call('POST', `${path}/deliveries/${push?.id}/attempts`, ada))
  await lab.do.delivered()
  is('with the same id', [wire.got.length, wire.got.at(-1)?.id], [3, push?.guid])
  wire.manner.status = 500
  await status('ping', 204, call('POST', `${path}/pings`, ada))
  await lab.do.delivered()
  is('failures are found', count((await call('GET', `${path}/deliveries?status=failure`, ada)).body), 1)
  const page = await call('GET', `${path}/deliveries?per_page=2`, ada)
  const next = new URL(/<([^>]+)>; rel="next"/.exec(page.header('link'))?.[1] ?? 'x:')
  is('the log goes on by cursor', count((await call('GET', next.pathname + next.search, ada)).body), 2)
  wire.manner.status = 202
  wire.secrets.splice(0, 1, 'new')
  await status('change', 200, call('PATCH', path, ada, { config: { secret: 'new', content_type: 'form' } }))
  await lab.do.push({ full: 'acme/shop' })
  await lab.do.delivered()
  is('the new secret signs, also as a form', wire.got.at(-1)?.isGood, true)
  await status('hook', 200, call('GET', path, ada))
  await status('remove', 204, call('DELETE', path, ada))
  await status('removed', 404, call('GET', path, ada))
  wire.close()
}
