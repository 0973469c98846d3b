import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ended, run, tried } from '../argv.ts'
import { linkedName, pointLink, readText, writeWhole } from '../files.ts'
import { PATHS, UNITS } from '../paths.ts'
import { databaseOf } from './cluster.ts'

const START_MS = 150_000
const TIMERS = UNITS.filter((unit) => unit.endsWith('.timer'))
const unitOf = (version: string) => `slipway@${version}.service`

/** Beside the others, and there from one moment to the next. */
export async function putFiles(release: string, version: string): Promise<void> {
  const to = join(PATHS.versions, version)
  if (release === to) return
  mkdirSync(PATHS.versions, { recursive: true, mode: 0o755 })
  rmSync(`${to}.part`, { recursive: true, force: true })
  cpSync(release, `${to}.part`, { recursive: true })
  // Not only named but written, before the power may go.
  await run(['sync', '--file-system', `${to}.part`])
  rmSync(to, { recursive: true, force: true })
  renameSync(`${to}.part`, to)
}

export async function putUnits(release: string): Promise<void> {
  for (const unit of UNITS) {
    const text = readText(join(release, 'units', unit))
    if (text === null) throw new Error(`This release has no unit ${unit}.`)
    writeWhole(join(PATHS.units, unit), text, 0o644)
  }
  await run(['systemctl', 'daemon-reload'])
}

/** Ends when the version itself has said that it answers. Where it does not come, nothing else has changed. */
export async function startVersion(version: string, beside: string | null): Promise<void> {
  for (const unit of ['slipway.socket', 'slipway.service']) await run(['systemctl', 'enable', '--quiet', '--now', unit])
  const { code } = await ended(['systemctl', 'start', unitOf(version)], { deadlineMs: START_MS })
  // A restore has stopped the timers with the rest.
  if (code === 0) return linkedName(PATHS.current) === version ? startTimers() : undefined
  await ended(['systemctl', 'stop', unitOf(version)])
  const other = beside === null ? '' : ` ${beside} was never stopped, and serves.`
  throw new Error(`${version} did not come up.${other} It said:\n${await lastWords(version)}`)
}

/**
 * With the settings that were written. Its sockets are systemd's, so that whoever comes meanwhile waits and is not refused. Where it
 * does not come up with them, those of before are put back and it is started with these.
 */
export async function restartVersion(version: string, before: string | null): Promise<void> {
  const restart = () => ended(['systemctl', 'restart', unitOf(version)], { deadlineMs: START_MS })
  if ((await restart()).code === 0) return
  const said = await lastWords(version)
  if (before === null) throw new Error(`${version} did not come up with these settings. It said:\n${said}`)
  writeWhole(PATHS.settings, before, 0o600)
  const back =
    (await restart()).code === 0 ? 'are back, and it serves' : 'are back, and it did not come up with them either'
  throw new Error(`${version} did not come up with these settings; those of before ${back}. It said:\n${said}`)
}

async function lastWords(version: string): Promise<string> {
  const said = await tried(['journalctl', '--unit', unitOf(version), '--lines', '12', '--output', 'cat', '--no-pager'])
  return (said ?? '').trimEnd()
}

/** Which one starts with the machine, and which program `slipway` is. The old one still runs. */
export async function switchTo(version: string, from: string | null): Promise<void> {
  await run(['systemctl', 'enable', '--quiet', unitOf(version)])
  pointLink(PATHS.current, join('versions', version))
  pointLink(PATHS.link, join(PATHS.current, 'bin/slipway'))
  if (from !== null && from !== version) await run(['systemctl', 'disable', '--quiet', unitOf(from)])
  await startTimers()
}

/** Into a database of somebody's own nothing is restored: without a cluster of ours there is no drill. */
async function startTimers(): Promise<void> {
  const due = databaseOf().port === null ? TIMERS.filter((timer) => timer !== 'slipway-drill.timer') : TIMERS
  await run(['systemctl', 'enable', '--quiet', '--now', ...due])
}

export async function stopVersion(version: string): Promise<void> {
  await run(['systemctl', 'stop', unitOf(version)], { deadlineMs: 60_000 })
  await ended(['systemctl', 'disable', '--quiet', unitOf(version)])
}

/** Nothing serves any more; what is enabled comes back with the machine. */
export async function stopAll(): Promise<void> {
  const units = [...TIMERS, 'slipway@*.service', 'slipway.service', 'slipway.socket']
  await ended(['systemctl', 'stop', ...units], { deadlineMs: 120_000 })
}

export async function disableAll(): Promise<void> {
  const each = [...TIMERS, 'slipway.service', 'slipway.socket', ...versionsHere().map(unitOf)]
  for (const unit of each) await ended(['systemctl', 'disable', '--quiet', unit])
}

export function forgetVersions(keep: string[]): string {
  const old = versionsHere().filter((version) => !keep.includes(version))
  for (const version of old) rmSync(join(PATHS.versions, version), { recursive: true, force: true })
  return old.length === 0 ? 'none' : old.join(', ')
}

export async function removeUnits(): Promise<void> {
  for (const unit of UNITS) rmSync(join(PATHS.units, unit), { force: true })
  await run(['systemctl', 'daemon-reload'])
  await ended(['systemctl', 'reset-failed', 'slipway*'])
}

function versionsHere(): string[] {
  try {
    return readdirSync(PATHS.versions)
  } catch {
    return []
  }
}
