import { afterAll, beforeAll, expect, test } from 'vitest'
import { answering, sendJson } from '../../test/answering.ts'
import { deployment, project } from '../../test/deployments.ts'
import { slipway } from '../../test/run-here.ts'
import type { Entry } from '../table/entry.ts'
import { type CommandName, table } from '../table/table.ts'

/** Words for each command that takes some. */
const OVERVIEW = {
  projects: { total: 1, serving: 1 },
  deployments: { queued: 0, running: 0, waiting: 0 },
  servers: { total: 1, unwell: 0 },
  attention: [],
}
const WORDS: Partial<Record<CommandName, string[]>> = {
  login: ['127.0.0.1:9', '--token-stdin'],
  'context use': ['none'],
  'context rm': ['none'],
  init: ['shop'],
  link: ['shop'],
  rm: ['2', '--yes', '--force'],
  respond: ['2', 'approve'],
  rollback: ['1'],
  'env set': ['A=1'],
  'env rm': ['A'],
  'env push': ['package.json'],
  'env diff': ['package.json'],
  'domains add': ['shop.example.com'],
  'domains check': ['shop.example.com'],
  'domains rm': ['shop.example.com', '--yes'],
  'ssl status': ['shop.example.com'],
  'ssl renew': ['shop.example.com'],
  'projects create': ['shop'],
  'projects inspect': ['shop'],
  'projects set': ['branch=main'],
  'projects rename': ['shop', 'store'],
  'projects rm': ['shop', '--yes'],
  'services set': ['web', '-d', '{}'],
  'services rm': ['web', '--yes'],
  'volumes revoke': ['gnt_1', '--yes'],
  'servers add': ['fra-1', '192.0.2.10'],
  'servers inspect': ['srv_1'],
  'servers set': ['srv_1', 'port=22'],
  'servers check': ['srv_1'],
  'servers rm': ['srv_1', '--yes'],
  'migrate scan': ['srv_1'],
  'migrate adopt': ['srv_1', 'blog', 'compose/blog/web'],
  'cloud link': ['--no-wait'],
  'cloud unlink': ['--yes'],
  'registries add': ['ghcr.io/team', 'deploy', '--password-stdin'],
  'registries set': ['reg_1', '--password-stdin'],
  'registries check': ['reg_1'],
  'registries rm': ['reg_1', '--yes'],
  'backups add': ['local', 'here', 'endpoint=/srv'],
  'backups inspect': ['dst_1'],
  'backups set': ['dst_1', 'isDefault=on'],
  'backups test': ['dst_1'],
  'backups rm': ['dst_1', '--yes'],
  'git disconnect': ['--yes'],
  'git inspect': ['acme/shop'],
  'git branches': ['acme/shop'],
  'git create': ['shop'],
  'git rm': ['acme/shop', '--yes'],
  'git token': ['acme/shop'],
  'git hooks': ['acme/shop'],
  'git watch': ['acme/shop'],
  'git unwatch': ['acme/shop', '1', '--yes'],
  'git replay': ['ghd_1'],
  'git app-key': ['/dev/null'],
  'members role': ['usr_1', 'viewer'],
  'members rm': ['usr_1', '--yes'],
  'members invite': ['sam@example.com', 'viewer'],
  'members withdraw': ['inv_1'],
  'tokens inspect': ['tok_1'],
  'tokens create': ['ci'],
  'tokens revoke': ['tok_1', '--yes'],
  api: ['GET', '/api/projects'],
  completion: ['bash'],
}
const commands = Object.entries<Entry>(table)
  .filter(([, { raw }]) => !raw)
  .map(([name]) => name as CommandName)

/** What answers with a list, which is empty here. */
const LISTS = new RegExp(
  [
    'info|usage|variables|domains|services|volumes|grants|servers|tokens|audit|repos|branches|webhooks|deliveries',
    'backup-destinations|registries|logs|members|invitations|organizations',
  ]
    .map((names) => `/(${names})$`)
    .join('|'),
)

let refusing: Awaited<ReturnType<typeof answering>>
let serving: Awaited<ReturnType<typeof answering>>
beforeAll(async () => {
  const refused = { success: false, error: 'No.', code: 'credentials_missing', requestId: 'r' }
  refusing = await answering((_, answer) => sendJson(answer, refused, 401))
  const all = [deployment({ active: true }), deployment({ id: 'dep_1', number: 1 })]
  serving = await answering((request, answer) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    if (pathname === '/api/projects') return sendJson(answer, { data: [project], nextCursor: null })
    if (pathname === '/api/deployments') return sendJson(answer, { data: all, nextCursor: null })
    if (pathname === '/api/overview') return sendJson(answer, OVERVIEW)
    const found = all.find(({ id }) => pathname === `/api/deployments/${id}`)
    if (found) return sendJson(answer, found)
    if (/\/api\/me$/.test(pathname)) return sendJson(answer, { organization: { id: 'org_1' } })
    if (LISTS.test(pathname)) return sendJson(answer, { data: [], nextCursor: null })
    if (/(cancel|restart|pin)$/.test(pathname)) return sendJson(answer, { success: true, deployment: all[0] })
    sendJson(answer, { success: true, project, variables: [] })
  })
})
afterAll(() => [refusing, serving].forEach((one) => void one.close()))

test.each(commands)('slipway %s --json tells of a refusal in one object, with exit code 3', async (name) => {
  const argv = [...name.split(' '), ...(WORDS[name] ?? []), '--json', '-p', 'shop']
  if (name === 'login') argv[1] = refusing.url
  const { code, json, err } = await slipway(argv, {
    env: { SLIPWAY_URL: refusing.url, SLIPWAY_TOKEN: 't' },
    stdin: 'slp_token',
  })
  const isLocal = (table[name] as Entry).local === true && name !== 'login'
  if (isLocal || name === 'env push' || name === 'env diff') return void expect([0, 2]).toContain(code)
  expect([code, json()], err).toMatchObject([
    3,
    name === 'doctor' ? { success: false } : { success: false, code: expect.any(String), error: expect.any(String) },
  ])
})

const READING = [
  'projects ls',
  'ls',
  'inspect',
  'logs',
  'restart',
  'pin',
  'unpin',
  'ps',
  'top',
  'env ls',
  'env set',
  'env rm',
  'domains ls',
] as const
const MORE = [
  'volumes ls',
  'volumes grants',
  'services ls',
  'servers ls',
  'members ls',
  'members invitations',
  'orgs ls',
  'git branches',
  'git hooks',
  'git deliveries',
  'tokens ls',
  'git repos',
  'registries ls',
  'backups ls',
  'audit',
  'status',
  'api',
  'link',
  'open',
] as const

test.each([...READING, ...MORE])('slipway %s --json answers with one object', async (name) => {
  const argv = [...name.split(' '), ...(WORDS[name] ?? []), '-p', 'shop']
  const env = { SLIPWAY_URL: serving.url, SLIPWAY_TOKEN: 't' }
  const told = await slipway([...argv, '--json'], { env })
  expect([told.code, told.err]).toEqual([0, ''])
  expect(told.lines()).toHaveLength(1)
  const said = await slipway(argv, { env })
  expect(said.code).toBe(0)
  expect(said.out + said.err).not.toContain('undefined')
})
