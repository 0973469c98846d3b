import { copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { COMMAND_LINE } from './command-line.ts'
import { writeImage } from './image.ts'
import { layOut, pack, type Release } from './pack.ts'
import { writeInstaller, writeSums } from './sign.ts'
import { git, whyUnready } from './unready.ts'

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
  const why = values.snapshot ? null : whyUnready(checkout, made.version)
  if (why !== null) {
    console.error(why)
    process.exitCode = 1
    return
  }
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
  const [commit = '', time = '0'] = git(checkout, 'log', '-1', '--format=%H %ct').trim().split(' ')
  return { version: values.snapshot ? `${version}-snapshot` : version, commit, time: Number(time) }
}
