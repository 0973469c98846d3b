import type { Check } from './checks.ts'
import { type Ended, jsonOf, type Machine, runCli } from './run-cli.ts'

/** Words for what takes some; everything is asked with --yes, and must not exist. */
const WORDS: Record<string, string[]> = {
  login: ['--token-stdin'],
  link: ['none'],
  init: ['shop'],
  'env set': ['A=1'],
  'env rm': ['A'],
  'projects set': ['branch=main'],
  'services set': ['web', '-d', '{}'],
  'servers set': ['srv_none', 'port=22'],
  'backups add': ['local', 'here', 'endpoint=/srv/none'],
  'backups set': ['dst_none', 'region=eu'],
  'migrate adopt': ['srv_none', 'blog', 'compose/blog/web'],
  'registries add': ['registry.example.com', 'deploy', '--password-stdin'],
  'registries set': ['reg_none', '--password-stdin'],
  'members role': ['usr_none', 'viewer'],
  'members invite': ['sam@example.com', 'viewer'],
  'git unwatch': ['acme/shop', '1'],
  respond: ['1', 'approve'],
  api: ['GET', '/api/me'],
  completion: ['bash'],
  'git app-key': ['/dev/null'],
}
/** They are about this machine alone, or hand over to another program. */
const LOCAL = [
  'context ls',
  'context use',
  'context rm',
  'unlink',
  'logout',
  'completion',
  'version',
  'env push',
  'env diff',
]

/** Where nobody answers they try for some seconds before they say so. */
const LANES = 6

type Described = { commands: { name: string; words: string[]; raw?: boolean }[] }

/** `--json` of each command: one object on stdout, whether it is refused or nobody answers, with the exit code that says which. */
export async function everyCommand(check: Check, machine: Machine, dead: string): Promise<string> {
  const { commands } = JSON.parse((await runCli(machine, ['--describe'])).out) as Described
  const asked = commands.filter(({ name, raw }) => !raw && !LOCAL.includes(name))
  const broken: string[] = []
  const ask = async (name: string, words: string[], env: Record<string, string>, exits: number[]) => {
    const given = WORDS[name] ?? words.filter((word) => !word.startsWith('[')).map((word) => wordFor(word))
    const argv = [...name.split(' '), ...given, '--json', '--yes', '--no-input', '-p', 'none', '--timeout', '60']
    const ended = await runCli({ home: machine.home, env }, argv, { stdin: 'slp_wrong' })
    const why = wrong(ended, exits)
    if (why !== null) broken.push(`${name}: ${why}`)
  }
  const waiting = asked.values()
  const lane = async () => {
    for (const { name, words } of waiting) {
      await ask(name, words, { ...machine.env, SLIPWAY_TOKEN: 'slp_wrong' }, [3])
      await ask(name, words, { SLIPWAY_URL: dead, SLIPWAY_TOKEN: 'slp_wrong' }, [8])
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  for (const line of broken) console.log(`         ${line}`)
  check(
    `--json of ${asked.length} commands, refused and with nobody there: ${broken.length} wrong`,
    broken.length === 0,
  )
  return `--json of ${asked.length} commands as promised, refused and unreachable`
}

const wordFor = (word: string) =>
  word.includes('|') ? (word.split('|')[0] ?? '') : word === 'owner/repo' ? 'acme/shop' : 'dep_none'

function wrong(ended: Ended, exits: number[]): string | null {
  try {
    const { success } = jsonOf(ended)
    if (success !== false) return `success is ${String(success)}`
  } catch (error) {
    return (error as Error).message
  }
  return exits.includes(ended.code ?? -1) ? null : `exit code ${ended.code}: ${ended.out.slice(0, 150)}`
}
