import { type Bench, type Row, type Tried, together } from './bench.ts'
import { besideOwner } from './beside.ts'
import { RAN, type Try } from './ways.ts'

/** Every build ends here: what a step could read is printed before, and nothing is rolled out. */
const END = 'RUN exit 7'

/** Makes all tries at one way in, those that say so beside a build of the owner's. */
export async function tryAll(bench: Bench, trap: string, tries: Try[]): Promise<Row> {
  const broken: string[] = []
  let untried = 0
  for (const one of tries) {
    const { says, files = {}, more = {}, dockerfile = [] } = one
    const folder = { ...files, 'www/index.html': 'the thief', Dockerfile: `${[...dockerfile, END].join('\n')}\n` }
    const attempt = () => bench.build(bench.thief, folder, more)
    const { tried, wrong } = one.beside ? await besideOwner(bench, attempt) : { tried: await attempt(), wrong: [] }
    const verdict = judge(tried, Object.values(bench.secrets))
    if (verdict === 'untried') untried++
    else broken.push(...together([...wrong, ...verdict]).map((text) => `${says}: ${text}`))
  }
  return {
    trap: untried > 0 ? `${trap} (${untried} that this engine cannot read)` : trap,
    tried: tries.length - untried,
    broken,
  }
}

/** Why a build that tried to read came to nothing: it ran to its end, or somebody refused what it asked for. */
const REPELLED =
  /RUN exit 7\): a command ended with code 7|invalid repository name|not allowed|cannot be used|belong to the platform|may name an image|begins with comments|not found|no such|failed to resolve|invalid reference|must be a path|denied|entitlement|no file|invalid stage index|reference format|could not find|forbidden path|too many/i
/** A file that cannot be read as a Dockerfile has tried nothing. */
const UNREADABLE = /parse error|unknown instruction|unknown flag|unexpected key|invalid field|unsupported/i

/** What is wrong with how it ended; `untried` where the engine did not understand it. */
export function judge({ status, error, lines }: Pick<Tried, 'status' | 'error' | 'lines'>, secrets: string[]) {
  const words = error?.message ?? ''
  const seen = JSON.stringify([lines, error])
  if (secrets.some((value) => seen.includes(value))) return ['it was read']
  if (lines.includes(RAN)) return ['the step ran']
  if (status !== 'failed' || error?.code === 'internal') return [`it ended as ${status} ${error?.code ?? ''}`]
  if (UNREADABLE.test(words)) return 'untried' as const
  return REPELLED.test(words) ? [] : [`nobody knows why it failed: ${words.slice(0, 200)}`]
}

/** Images of the other's, deployed instead of built from. */
export async function tryToRun(bench: Bench): Promise<Row> {
  const { site, thief, image } = bench
  const hex = image.id.slice('sha256:'.length)
  const names = [
    image.tag,
    image.id,
    hex,
    hex.slice(0, 12),
    hex.slice(0, 6),
    hex.slice(0, 4),
    `busybox@${image.id}`,
    `sha256:${hex.slice(0, 12)}`,
  ]
  const broken: string[] = []
  for (const name of names) {
    const asked = await site.call('POST', '/api/deployments/build/access', { projectId: thief.id, image: name })
    if (asked.status >= 400 && asked.status < 500) continue
    const { status, error } = await site.ended(asked.body.deployment_id, 180)
    if (status !== 'failed' || error?.step !== 'build')
      broken.push(`${name.slice(0, 30)}: it ended as ${status} in ${error?.step}`)
  }
  return { trap: "the other's image, run instead of built from", tried: names.length, broken }
}
