import { existsSync } from 'node:fs'
import { engineRuns } from './parts/engine.ts'
import { githostRuns } from './parts/githost.ts'
import { hostNames, hostRuns } from './parts/hosts.ts'
import { imageArchive } from './parts/images.ts'
import { havePackages } from './parts/packages.ts'
import { postgresRuns } from './parts/postgres.ts'
import { registryRuns } from './parts/registry.ts'
import { s3Runs } from './parts/s3.ts'
import { sftpRuns } from './parts/sftp.ts'
import { readLab } from './state.ts'

type Row = [part: string, state: 'up' | 'down' | 'missing', where: string]

export function statusTable(): string {
  const lab = readLab()
  const fetched = havePackages('database', 'engine', 'registry', 'acme', 'dns', 's3', 'gh', 'newerGh')
  const made = havePackages('engine') && existsSync(imageArchive())
  const rows: Row[] = [
    ['packages', fetched ? 'up' : 'missing', fetched ? 'in the cache' : 'bin/lab up packages'],
    ['images', made ? 'up' : 'missing', made ? imageArchive() : 'bin/lab up images'],
    running('postgres', postgresRuns(), lab.postgres?.url),
    running('engine', engineRuns(), lab.engine && `${lab.engine.dockerHost}, ports at ${lab.engine.address}`),
    ...hostNames.map((name) =>
      running(name, hostRuns(name), lab[name] && `ssh ${lab[name].user}@${lab[name].address}`),
    ),
    running('registry', registryRuns(), lab.registry?.address),
    running('s3', s3Runs(), lab.s3?.endpoint),
    running('githost', githostRuns(), lab.githost && `${lab.githost.host} through ${lab.githost.proxy}`),
    running('sftp', sftpRuns(), lab.sftp && `sftp ${lab.sftp.user}@${lab.sftp.address}`),
  ]
  return rows.map(([part, state, where]) => `${part.padEnd(10)}${state.padEnd(9)}${where}\n`).join('')
}

function running(part: string, runs: boolean, where: string | undefined): Row {
  return runs && where ? [part, 'up', where] : [part, 'down', `bin/lab up ${part.replace(/^host\d$/, 'hosts')}`]
}
