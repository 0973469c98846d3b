import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { COMMAND_LINE } from './command-line.ts'
import { writeImage } from './image.ts'
import { layOut, pack, type Release } from './pack.ts'
import { writeInstaller, writeSums } from './sign.ts'

const USAGE = `bin/release [--out DIR] [--key FILE] [--from URL] [--snapshot] [--unpacked] [--image]
  --out DIR    where it is put (default: release/)
  --key FILE   the ed25519 key that signs it, as PEM; without one nothing is signed
  --from URL   where the installer looks for releases when it is told nothing else
  --snapshot   of this checkout as it is, for trying; not to be given to anybody
  --unpacked   DIR becomes the folder that the archive would unpack to
  --image      beside the archive the same files as an image, for docker load`

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'release' },
    key: { type: 'string' },
    from: { type: 'string', default: '.' },
    snapshot: { type: 'boolean', default: false },
    unpacked: { type: 'boolean', default: false },
    image: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) console.log(USAGE)
else await release()

async function release(): Promise<void> {
  const checkout = resolve(import.meta.dirname, '../..')
  const made = describe(checkout)
  if (!values.snapshot) refuseUnready(checkout, made.version)
  const out = resolve(values.out)
  console.log(`${made.version} of ${made.commit.slice(0, 12)}`)
  if (values.unpacked) return layOut(checkout, out, made)
  mkdirSync(out, { recursive: true })
  const file = await pack(checkout, out, made)
  const image = file.replace(/\.tar\.xz$/, '-image.tar')
  if (values.image) await writeImage(file.replace(/\.tar\.xz$/, ''), image, made.version)
  const commandLine = join(out, `slipway-cli-${made.version}.tgz`)
  copyFileSync(join(file.replace(/\.tar\.xz$/, ''), 'cli', COMMAND_LINE), commandLine)
  await writeSums(out, [file, commandLine, ...(values.image ? [image] : [])], values.key)
  if (values.key) writeInstaller(checkout, out, values.from)
  console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB${values.key ? ', signed' : ', NOT signed'}`)
}

function describe(checkout: string): Release {
  const { version } = JSON.parse(readFileSync(join(checkout, 'server/package.json'), 'utf8'))
  const [commit = '', time = '0'] = git(checkout, 'log', '-1', '--format=%H %ct').split(' ')
  return { version: values.snapshot ? `${version}-snapshot` : version, commit, time: Number(time) }
}

/** A release is of a commit, and says what is new in it. */
function refuseUnready(checkout: string, version: string): void {
  if (git(checkout, 'status', '--porcelain') !== '')
    throw new Error('There are changes that are in no commit. Commit them, or make a --snapshot.')
  const changes = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8')
  if (/^## Unreleased/m.test(changes) || !changes.includes(`\n## ${version}`))
    throw new Error(`CHANGELOG.md says what is new as "Unreleased". Call it ${version}, or make a --snapshot.`)
}

function git(checkout: string, ...args: string[]): string {
  return execFileSync('git', ['-C', checkout, ...args], { encoding: 'utf8' }).trim()
}
