import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { labPart } from '../lab/ask.ts'
import { SEALED_COLUMNS } from '../server/src/core/sealing/columns.ts'
import { openSite, type Site } from '../test-kit/site.ts'
import { size } from './ledger/sizes.ts'
import { buckets } from './parts/destinations/buckets.ts'
import { blindTo, everything, leaks } from './parts/seal/look.ts'
import { notWorking, type Planted, plant, TOLD } from './parts/seal/plant.ts'
import {
  plantAdopted,
  plantCertificate,
  plantGitHost,
  plantMailAndLinks,
  plantRegistry,
} from './parts/seal/plant-rows.ts'
import { keepReading, killHalfway, manyWrong, plantMany, program, sealedWith } from './parts/seal/rotation.ts'
import { secretMaker } from './parts/seal/secrets.ts'
import { idOf, openAll, tamper } from './parts/seal/tamper.ts'

export const claim =
  'secrets stay sealed and usable through a change of keys; nothing opens elsewhere, changed or without its key, and nothing shows them'
export const kind = 'story'
export const quick = false

const FEWEST = 50
const MANY = size('SLIPWAY_SEAL_VALUES', 50_000)
const [OLD, NEW] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
const BOTH = `${NEW},${OLD}`

type Note = (what: string, found: string[]) => void

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const aside = mkdtempSync(join(tmpdir(), 'slipway-seal-'))
  const logFile = join(aside, 'all.log')
  const answers: string[] = []
  const site = await openSite({
    name: 'seal',
    logFile,
    env: { SLIPWAY_SECRET_KEY: OLD, SLIPWAY_LOG_LEVEL: 'trace' },
    // All but those whose purpose it is to show a secret.
    onAnswer: (path, text) => path.endsWith('/reveal') || answers.push(text),
  })
  const s3 = buckets()
  try {
    const faults: string[] = []
    const note: Note = (what, found) => {
      console.log(`  ${found.length === 0 ? 'right' : 'WRONG'}  ${what}`)
      for (const each of found.slice(0, 10)) console.log(`         ${each}`)
      faults.push(...found)
    }
    const figures = await proveAll({ site, answers, s3, logFile, note })
    return { ok: faults.length === 0, figure: `${figures}; ${faults.length} faults` }
  } finally {
    await site.close()
    await s3.close()
    rmSync(aside, { recursive: true, force: true })
    rmSync(join(labPart('sftp').home, `seal-${process.pid}`), { recursive: true, force: true })
  }
}

type Scene = { site: Site; answers: string[]; s3: ReturnType<typeof buckets>; logFile: string; note: Note }

async function proveAll({ site, answers, s3, logFile, note }: Scene): Promise<string> {
  const { database } = site
  if (!database) throw new Error('the site has no database of its own')
  const secret = secretMaker()
  await site.start()
  const planted = await plant(site, await s3.make(), secret)
  const many = await plantMany(database, site, OLD, MANY)
  const scene = { database, site, ring: OLD, secret }
  await plantCertificate(scene)
  await plantGitHost(scene)
  await plantRegistry(scene)
  await plantMailAndLinks(scene)
  await plantAdopted(scene, planted.server)
  note(`${secret.made.length} secrets planted, all in use work`, await notWorking(site, planted))
  note('what an application prints of its secrets is masked', await printed(site, planted))
  note('the scanner finds every form', secret.made.flatMap(blindTo))

  const rotated = await rotation(site, answers, planted, note)
  note('only the new key is left in the database', await oldLeft(site))
  await onlyTheNew(site, planted, note)
  const { values, shut } = await openAll(database, NEW)
  note(`each of ${values} values was opened with the new key alone`, values > MANY ? shut : ['too few of them'])
  note(`${MANY} of them say what was sealed`, await manyWrong(database, many, NEW))
  const { columns, tried, opened } = await tamper(database, NEW, OLD)
  note(`${tried} times moved, flipped, shortened or without the key, in ${columns} columns`, opened)
  const all = await everything(site, logFile, answers)
  const found = leaks(all, secret.made, planted.project)
  note(`dump (${mb(all.dump)}), logs (${mb(all.logs)}), ${answers.length} answers, files (${mb(all.files)})`, found)
  if (columns < SEALED_COLUMNS.length) note('every sealed column', [`only ${columns} have something`])
  if (secret.made.length < FEWEST) note(`at least ${FEWEST} secrets`, [`only ${secret.made.length}`])
  return `${rotated}; then everything worked with the new key alone and ${values.toLocaleString('en')} values opened with it; ${tried} values of ${columns} columns moved, flipped, shortened or without their key: ${opened.length} opened; ${secret.made.length} planted secrets, plain, in JSON, URLs, hex and base64: ${found.length} found in a dump of ${mb(all.dump)}, ${mb(all.logs)} of logs and ${answers.length} answers`
}

/** The logs of the release that runs, read as anyone may read them; its application tells all that it was given. */
async function printed(site: Site, { last }: Planted): Promise<string[]> {
  const { text } = await site.call('GET', `/api/deployments/${last}/logs?kind=runtime&limit=200`)
  const masked = text.split('•••').length - 1
  return text.includes(TOLD) && masked > 0 ? [] : [`nothing was printed or masked: ${text.slice(0, 300)}`]
}

const mb = (text: Buffer) => `${(text.length / 1024 / 1024).toFixed(1)} MB`

/** A new key is put in front, a rotation is killed, and another one finishes; everything is read all the while. */
async function rotation(site: Site, answers: string[], planted: Planted, note: Note): Promise<string> {
  const { database } = site
  if (!database) throw new Error('the site has no database of its own')
  const refused = await program(site, NEW).ended
  const named = refused.code === 1 && refused.said.includes(`key ${idOf(OLD)}, which is not in SLIPWAY_SECRET_KEY`)
  note('a process without the old key does not start, and says why', named ? [] : [`${refused.code}: ${refused.said}`])
  for (const replica of site.replicas) await replica.stop()
  await site.start({ env: { SLIPWAY_SECRET_KEY: BOTH } })
  note('with the new key in front everything works', await notWorking(site, planted))
  const before = await sealedWith(database, NEW)
  const stop = keepReading(() => notWorking(site, planted))
  const halfway = await killHalfway(database, site, BOTH, NEW, MANY)
  const partly = halfway > before && halfway < MANY
  note(`killed when ${halfway} of ${MANY} values were done`, partly ? [] : ['that was not the middle'])
  const from = performance.now()
  const { code, said } = await program(site, BOTH, 'admin', 'keys', 'rotate').ended
  answers.push(said)
  const seconds = ((performance.now() - from) / 1000).toFixed(0)
  const { times, faults } = await stop()
  note(
    `the next rotation finished (${seconds} s): ${said.trim().split('\n').at(-1)}`,
    code === 0 ? [] : [`exit ${code}: ${said}`],
  )
  note(`everything was read ${times} times meanwhile`, times > 0 ? faults : ['nothing was read'])
  const again = await program(site, BOTH, 'admin', 'keys', 'rotate').ended
  note('once more changes nothing', again.said.startsWith('0 values') ? [] : [again.said])
  return `${MANY.toLocaleString('en')} values and those of a small instance sealed anew, killed at ${halfway.toLocaleString('en')} and finished, read ${times} times meanwhile without a fault`
}

/** Sealed texts of the old key anywhere, in any column of any table. */
async function oldLeft({ databaseUrl, database }: Site): Promise<string[]> {
  if (!database) return [`no database at ${databaseUrl}`]
  const { rows } = await database.pool.query<{ name: string; all: string }>(
    `select relname as name, query_to_xml(format('select * from %I', relname), true, false, '')::text as all from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'variable'`,
  )
  const left = rows.filter(({ all }) => all.includes(`v1.${idOf(OLD)}.`)).map(({ name }) => name)
  const variables = await sealedWith(database, OLD)
  const keys = await database.pool.query<{ id: string }>('select id from sealing_key')
  const known = keys.rows.map(({ id }) => id).join()
  return [
    ...left.map((name) => `${name} has values of the old key`),
    ...(variables === 0 ? [] : [`${variables} variables have the old key`]),
    ...(known === idOf(NEW) ? [] : [`the keys in use are ${known}`]),
  ]
}

async function onlyTheNew(site: Site, planted: Planted, note: Note): Promise<void> {
  for (const replica of site.replicas) await replica.stop().catch(() => {})
  const old = await program(site, OLD).ended
  note(
    'a process with the old key alone does not start',
    old.code === 1 && old.said.includes(idOf(NEW)) ? [] : [old.said],
  )
  await site.start({ env: { SLIPWAY_SECRET_KEY: NEW } })
  note('everything works with the new key alone', await notWorking(site, planted))
  const back = await site.ask('POST', `/api/deployments/${planted.first}/rollback`)
  const { status, error } = await site.ended(back.deployment_id)
  note(
    'a release that was sealed before is rolled back to',
    status === 'ready' ? [] : [`${status}: ${JSON.stringify(error)}`],
  )
}
