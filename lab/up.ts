import { upAcme } from './parts/acme.ts'
import { upEngine } from './parts/engine.ts'
import { upGithost } from './parts/githost.ts'
import { upHosts } from './parts/hosts.ts'
import { makeImages } from './parts/images.ts'
import { needPackages } from './parts/packages.ts'
import { upPostgres } from './parts/postgres.ts'
import { upRegistry } from './parts/registry.ts'
import { upS3 } from './parts/s3.ts'
import { upSftp } from './parts/sftp.ts'

interface Part {
  needs: string[]
  start: () => Promise<string>
}

const parts: Record<string, Part> = {
  packages: {
    needs: [],
    start: () =>
      needPackages('database', 'engine', 'registry', 'acme', 'dns', 'mail', 's3', 'gh', 'newerGh').then(
        () => 'in the cache',
      ),
  },
  // What a first deployment needs: most of the others' packages are ten times as large.
  programs: { needs: [], start: () => needPackages('database', 'engine').then(() => 'in the cache') },
  postgres: { needs: ['programs'], start: upPostgres },
  images: { needs: ['programs'], start: makeImages },
  engine: { needs: ['images'], start: upEngine },
  hosts: { needs: ['images'], start: upHosts },
  registry: { needs: ['packages'], start: upRegistry },
  acme: { needs: ['packages'], start: upAcme },
  s3: { needs: ['packages'], start: upS3 },
  sftp: { needs: ['packages'], start: upSftp },
  githost: { needs: ['packages'], start: upGithost },
}

/** Starts the named parts and what they need, side by side where nothing stands between them. */
export async function up(names: string[]): Promise<void> {
  const unknown = names.find((name) => !parts[name])
  if (unknown) throw new Error(`there is no part "${unknown}"; there are ${Object.keys(parts).join(', ')}`)
  const started = new Map<string, Promise<void>>()
  const begin = performance.now()
  const start = (name: string): Promise<void> => {
    const running = started.get(name) ?? startOne(name, start)
    started.set(name, running)
    return running
  }
  const wanted = names.length > 0 ? names : Object.keys(parts)
  const results = await Promise.allSettled(wanted.map(start))
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
  if (failures.length > 0) {
    const reasons = [...new Set(failures.map(({ message }) => message))].join('\n')
    throw new Error(`${reasons}\n  What did start keeps running; bin/lab down stops it.`)
  }
  process.stderr.write(`ready in ${seconds(begin)}; addresses: bin/lab env\n`)
}

async function startOne(name: string, start: (name: string) => Promise<void>): Promise<void> {
  const part = parts[name]
  if (!part) return
  await Promise.all(part.needs.map(start))
  const begin = performance.now()
  const slow = setTimeout(() => process.stderr.write(`${name.padEnd(9)} working…\n`), 3000)
  try {
    const where = await part.start()
    process.stderr.write(`${name.padEnd(9)} ${seconds(begin).padStart(6)}  ${where}\n`)
  } catch (error) {
    process.stderr.write(`${name.padEnd(9)} ${seconds(begin).padStart(6)}  failed\n`)
    throw error
  } finally {
    clearTimeout(slow)
  }
}

function seconds(begin: number): string {
  return `${((performance.now() - begin) / 1000).toFixed(1)} s`
}
