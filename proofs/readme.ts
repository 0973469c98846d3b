import { makeCleanRoot, REPOSITORY } from './parts/readme/clean-root.ts'
import { blocksOf } from './parts/readme/page.ts'
import { promises } from './parts/readme/promises.ts'
import { openTerminal, type Terminal } from './parts/readme/terminal.ts'

export const claim =
  'README and all tutorials, carried out word for word on a clean Debian 12, work at the first try; a deployment answers within 5 minutes of the clone.'
export const kind = 'story'
export const quick = false

const BAR_S = 300
const SERVER_LISTENS = 'slipway is listening'
const show = (text: string) => void process.stdout.write(text)

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const root = await makeCleanRoot()
  const [one, two] = [openTerminal(root.shell, show), openTerminal(root.shell, show)]
  let blocks = 0
  try {
    const [first = '', second = ''] = blocksOf('README.md', 'From clone to first answer')
    const cloned = await setUp(one, first)
    blocks += 2
    await becomeOwner(two, second)
    let answered = 0
    for (const [page, told] of Object.entries(promises)) {
      const all = blocksOf(page)
      if (all.length !== told.length) throw new Error(`${page} has ${all.length} blocks, ${told.length} are expected`)
      for (const [n, block] of all.entries()) {
        const said = await two.paste(block, 120_000)
        const missing = told[n]?.find((words) => !words.test(said))
        if (missing) throw new Error(`${page}, block ${n + 1}: ${missing} was promised, but it said: ${said}`)
        blocks++
        if (answered === 0 && block.includes('hello.localhost')) answered = performance.now()
      }
    }
    const seconds = Math.round((answered - cloned) / 1000)
    const figure = `${blocks} blocks of README and ${Object.keys(promises).length} tutorials as they stand there, each at the first try; from the clone to the first answer of a deployment ${seconds} s (bar ${BAR_S})`
    return { ok: seconds <= BAR_S, figure }
  } catch (error) {
    return { ok: false, figure: `after ${blocks} blocks: ${(error as Error).message}` }
  } finally {
    await two.paste('bin/lab down', 120_000).catch((error: Error) => show(error.message))
    await root.remove()
  }
}

/** The README's first terminal, up to the server that keeps running in it; answers when the clone began. */
async function setUp(terminal: Terminal, block: string): Promise<number> {
  const lines = block.trimEnd().split('\n')
  const server = lines.pop() ?? ''
  const clone = lines.findIndex((line) => line.startsWith('git clone'))
  await terminal.paste(lines.slice(0, clone).join('\n'), 600_000)
  const began = performance.now()
  // The reader fills this one in: the address that the page was read at.
  await terminal.paste(lines.slice(clone).join('\n').replace('<this repository>', REPOSITORY), 600_000)
  await terminal.leave(server, SERVER_LISTENS)
  return began
}

/** The second terminal; then the lines that the command prints are pasted, as the page says. */
async function becomeOwner(terminal: Terminal, block: string): Promise<void> {
  const said = await terminal.paste(block)
  const printed = said.split('\n').filter((line) => /^ {2}(export|curl) /.test(line))
  if (printed.length !== 2) throw new Error(`two lines to paste were promised, but it said: ${said}`)
  const me = await terminal.paste(printed.join('\n'))
  if (!me.includes('"email":"you@example.com"')) throw new Error(`who one is was promised, but it said: ${me}`)
}
