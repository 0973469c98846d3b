import type { HandmadeHost } from '../../../lab/handmade/host.ts'
import { makePostgresImage, POSTGRES_DATA, POSTGRES_IMAGE } from '../../../lab/handmade/postgres-image.ts'
import { until } from '../../../test-kit/until.ts'

export const ROWS = 500

/** Enough of PostgreSQL's protocol for one query without a password. */
const CLIENT = `const net = require('net')
const ask = (sql) => new Promise((done, fail) => {
  const rows = []; let rest = Buffer.alloc(0); let sent = false
  const s = net.connect(5432, process.env.DB_HOST).on('error', fail)
  const body = Buffer.from('user\\0postgres\\0database\\0postgres\\0\\0'); const head = Buffer.alloc(8)
  head.writeInt32BE(8 + body.length); head.writeInt32BE(196608, 4); s.write(Buffer.concat([head, body]))
  s.on('data', (d) => { rest = Buffer.concat([rest, d])
    while (rest.length >= 5) { const size = rest.readInt32BE(1) + 1; if (rest.length < size) break
      const type = String.fromCharCode(rest[0]); const part = rest.subarray(5, size); rest = rest.subarray(size)
      if (type === 'E') { s.destroy(); fail(new Error(part.toString())) }
      if (type === 'D') rows.push(part.subarray(6).toString())
      if (type === 'Z' && sent) { s.end(); done(rows) }
      if (type === 'Z' && !sent) { sent = true; const q = Buffer.from(sql + '\\0'); const h = Buffer.alloc(5); h[0] = 81; h.writeInt32BE(4 + q.length, 1); s.write(Buffer.concat([h, q])) } } })
  s.on('close', () => fail(new Error('closed'))) })
const later = (ms) => new Promise((r) => setTimeout(r, ms))
process.on('SIGTERM', () => process.exit(0))
`
const WEB = `${CLIENT}
require('http').createServer(async (q, r) => { try { r.end('rows ' + (await ask('select count(*)::text from ledger'))[0]) } catch (e) { r.statusCode = 503; r.end(String(e)) } }).listen(8080)`
const WORKER = `${CLIENT}
;(async () => { for (;;) try { await ask('create table if not exists ledger (n int primary key, told text)')
  const have = Number((await ask('select count(*)::text from ledger'))[0])
  if (have < ${ROWS}) await ask("insert into ledger select n, md5(n::text) from generate_series(" + (have + 1) + ", ${ROWS}) n")
  console.log('done'); break } catch (e) { console.log(String(e)); await later(300) }
  setInterval(() => {}, 1e6) })()`

const yaml = (value: unknown) => JSON.stringify(value)

/** A real database with data, a web application that tells of it and a worker that filled it: as somebody runs them. */
export async function makeShop(host: HandmadeHost): Promise<void> {
  await makePostgresImage(host)
  const node = (script: string, more: object) => ({
    image: 'node:24-slim',
    command: ['node', '-e', script.replaceAll('$', '$$$$')],
    restart: 'unless-stopped',
    ...more,
  })
  const services = {
    db: {
      image: POSTGRES_IMAGE,
      restart: 'unless-stopped',
      volumes: [`data:${POSTGRES_DATA}`],
      environment: { POSTGRES_PASSWORD: 'hunter2-shop' },
      healthcheck: { test: ['CMD', 'pg_isready', '-h', '127.0.0.1', '-U', 'postgres'], interval: '2s', retries: 20 },
      stop_grace_period: '30s',
      stop_signal: 'SIGINT',
      shm_size: '128m',
    },
    web: node(WEB, {
      environment: { DB_HOST: 'db' },
      ports: ['18080:8080'],
      depends_on: { db: { condition: 'service_healthy' } },
    }),
    worker: node(WORKER, { environment: { DB_HOST: 'db' }, depends_on: { db: { condition: 'service_healthy' } } }),
  }
  host.put('/srv/shop/compose.yaml', yaml({ services, volumes: { data: {} } }))
  await host.compose({}, '-f', '/srv/shop/compose.yaml', 'up', '-d')
  await until('the shop has its rows', 120_000, async () =>
    (await rowsIn(host, 'shop-db-1')) === ROWS ? true : undefined,
  )
  await psql(host, 'shop-db-1', 'checkpoint')
}

const psql = (host: HandmadeHost, container: string, sql: string) =>
  host.docker('exec', container, 'psql', '-h', '127.0.0.1', '-U', 'postgres', '-Atc', sql)

export const rowsIn = async (host: HandmadeHost, container: string) =>
  Number(await psql(host, container, 'select count(*) from ledger').catch(() => '-1'))

/** Of all that the database holds: the same before and after, whoever runs it. */
export const contentOf = async (host: HandmadeHost, container: string) =>
  (
    await psql(host, container, "select count(*) || ' ' || md5(string_agg(n || told, ',' order by n)) from ledger")
  ).trim()
