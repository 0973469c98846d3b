import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { type Org, startWorld, type World } from '../../../../test-kit/world.ts'
import type { Config } from '../../../src/config.ts'
import * as attempts from '../../../src/core/cloud/attempt-store.ts'
import { linkChecks } from '../../../src/core/cloud/link-checks.ts'
import * as stored from '../../../src/core/cloud/link-store.ts'
import { commandLines } from '../access/command-lines.ts'

/** What happens to a request on its way to the cloud, which may depend on the request. */
export type Fate = 'through' | 'answer lost' | 'answer held' | 'cut' | 'silent'
type Way = Fate | ((request: IncomingMessage, response: ServerResponse) => Fate | undefined)

type More = { cloud?: Partial<Config>; home?: Partial<Config> }

/** A cloud and an instance of one's own, with a line between them that can be disturbed. `more` may need to know where the cloud is. */
export async function startTwoWorlds(more: (cloudUrl: string) => More = () => ({})) {
  const line = await startLine()
  const { cloud: there = {}, home: here = {} } = more(line.url)
  const cloud = await startWorld({ ...there, mode: 'cloud', publicUrl: line.url, trustProxy: '127.0.0.1' })
  line.leadTo(Number(new URL(await cloud.app.listen({ host: '127.0.0.1', port: 0 })).port))
  const home = await startWorld({
    publicUrl: 'https://home.example.com',
    cloudUrl: line.url,
    allowedNetworks: ['127.0.0.0/8'],
    ...here,
  })
  const atCloud = commandLines(cloud)
  return { line, cloud, home, atCloud, ...linking({ cloud, home }) }
}

function linking({ cloud, home }: { cloud: World; home: World }) {
  const { pool, db, keys } = home.platform
  /** The next look asks the cloud, and comes not too soon for it. */
  const rest = async () => {
    await pool.query('update link_attempt set ask_at = now()')
    await cloud.platform.pool.query('update cli_sign_in set polled_at = null')
  }
  const state = async ({ owner }: Org) => (await owner.api('GET', '/api/cloud/link')).body
  const begin = async ({ owner }: Org) => (await owner.api('POST', '/api/cloud/link')).body
  /** Signed in at the cloud; all of them come from one address. */
  const signedIn = async (person: { userId: string }) => {
    await cloud.platform.pool.query('delete from rate_limit')
    return commandLines(cloud).by(await cloud.session(person))
  }
  const linkTo = async (here: Org, there: Org) => {
    const { userCode } = await begin(here)
    await (await signedIn(there.owner)).approve(userCode)
    await rest()
    return state(here)
  }
  return {
    rest,
    state,
    begin,
    signedIn,
    linkTo,
    look: async (org: Org) => {
      await rest()
      return state(org)
    },
    /** What this process has heard of credentials is old. */
    forget: () => Object.assign(home.platform, { linkChecks: linkChecks() }),
    /** What only the instance has, opened. */
    secretsOf: async ({ id }: Org) => {
      const attempt = await attempts.find(db, id)
      const link = await stored.find(db, id)
      const pair = attempt?.secret ? JSON.parse(keys.open(attempt.secret, attempts.placeOfSecret(id))) : {}
      return {
        ...(pair as { requestId: string; verifier: string }),
        credential: link ? keys.open(link.credential, stored.placeOf(id)) : '',
      }
    },
    /** An organization at home and one at the cloud, linked. */
    linked: async (name: string) => {
      const [here, there] = [await home.org(name), await cloud.org(name)]
      return { here, there, shown: await linkTo(here, there) }
    },
    linksOf: async ({ owner }: Org) => (await owner.api('GET', '/api/links')).body.data,
  }
}

async function startLine() {
  let port = 0
  let way: Way = 'through'
  const asked: string[] = []
  const server = createServer((from, to) => {
    asked.push(`${from.method} ${from.url}`)
    const fate = typeof way === 'function' ? way(from, to) : way
    if (fate === 'silent' || fate === undefined) return
    if (fate === 'cut') return void from.destroy()
    const lost = fate === 'answer lost'
    const { method, url, headers } = from
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      // The cloud has done what it was asked to.
      if (lost) return void answer.resume().on('end', () => to.destroy())
      if (fate === 'answer held') return void answer.resume()
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(to)
    })
    passed.on('error', () => to.destroy())
    to.on('close', () => passed.destroy())
    from.pipe(passed)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What went to the cloud, oldest first. */
    asked,
    leadTo: (to: number) => {
      port = to
    },
    /** As long as this runs. */
    async being<T>(next: Way, work: () => Promise<T>): Promise<T> {
      way = next
      try {
        return await work()
      } finally {
        way = 'through'
      }
    },
  }
}

/** Every row of every table, as text. */
export async function textOf({ platform: { pool } }: World): Promise<string> {
  const { rows } = await pool.query(`select tablename from pg_tables where schemaname = 'public'`)
  const texts = await Promise.all(
    rows.map(({ tablename }) =>
      pool.query(`select coalesce(string_agg(t::text, ' '), '') as text from "${tablename}" t`),
    ),
  )
  return texts.map(({ rows: [row] }) => row.text).join('\n')
}
