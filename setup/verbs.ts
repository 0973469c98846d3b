import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ask } from './ask.ts'
import { drill } from './backup/drill.ts'
import { newestBackup, passphraseHere } from './backup/make.ts'
import { noted } from './backup/note.ts'
import { bringBack } from './bring-back.ts'
import { check } from './check/check.ts'
import { edgePorts } from './check/edge-ports.ts'
import type { Finding } from './check/finding.ts'
import { type Context, execute } from './execute/execute.ts'
import { readText } from './files.ts'
import { type Flags, WrongUse } from './flags.ts'
import { type Facts, look } from './look/look.ts'
import { PATHS } from './paths.ts'
import { planBackup } from './plan/backup.ts'
import { planInstall } from './plan/install.ts'
import { planRestore } from './plan/restore.ts'
import type { Step } from './plan/step.ts'
import { planUninstall } from './plan/uninstall.ts'
import { planDowngrade, planUpgrade } from './plan/upgrade.ts'
import { say } from './say.ts'
import { projectNames, showFindings, showPlan, snippetFor } from './show.ts'

/** The machine is not as it must be: nothing was changed. */
export class Unfit extends Error {}

export type Release = { folder: string; version: string }
type Told = Record<string, unknown>

/** What a verb does, and what programs are told of it. */
export async function act(flags: Flags, release: Release): Promise<Told> {
  const facts = await look()
  if (flags.verb === 'check') return tellCheck(check(facts, { ...flags, version: release.version }))
  if (!facts.system.root) throw new Unfit('Run it as root: sudo slipway setup …')
  if (flags.verb === 'drill') return drilled(flags)
  if (flags.verb === 'bring-back') return allBack(flags)
  if (flags.verb === 'install') return install(facts, flags, release)
  return carryOut(facts, flags, release)
}

function tellCheck(findings: Finding[]): Told {
  showFindings(findings, say)
  const good = findings.every(({ state }) => state !== 'failed')
  if (!good) process.exitCode = 6
  return { ok: good, checks: findings }
}

/** Of the newest backup it is written down how it ended; of a file that somebody has, it is told. */
async function drilled(flags: Flags): Promise<Told> {
  const word = passphrase(flags)
  if (flags.object !== null) return drill(file(flags), word ?? passphraseHere())
  return noted('drill', () => drill(newestBackup(), word ?? passphraseHere()))
}

async function allBack({ tokenFile }: Flags): Promise<Told> {
  const token = tokenFile === null ? process.env.SLIPWAY_TOKEN : readText(tokenFile)?.trim()
  if (!token) throw new WrongUse('bring-back needs an access token: --token-file F, or SLIPWAY_TOKEN.')
  const projects = await bringBack(token, say)
  const good = projects.every(({ status }) => status === 'ready')
  if (!good) process.exitCode = 1
  say(
    projects.length === 0 ? 'Nothing was live.' : `${projects.length} projects, ${good ? 'all back' : 'not all back'}.`,
  )
  return { success: good, projects }
}

async function install(facts: Facts, flags: Flags, release: Release): Promise<Told> {
  const { version } = facts.installed
  if (version !== null && version !== release.version) return carryOut(facts, { ...flags, verb: 'upgrade' }, release)
  const findings = check(facts, { ...flags, version: release.version })
  say(`Slipway ${release.version}: this machine`)
  showFindings(findings, say)
  if (findings.some(({ state }) => state === 'failed')) throw new Unfit('Nothing was changed.')
  const had = facts.installed.settings.SLIPWAY_DATABASE_URL !== undefined
  if (version === null && !had && !flags.email && !flags.dryRun)
    throw new WrongUse('--email is needed: whose it will be. There is no "first visitor becomes owner".')
  const steps = planInstall(facts, flags, release.version)
  const context = await carriedOut(steps, flags, release)
  if (context === null) return { plan: shown(steps) }
  const { front, ...ports } = edgePorts(facts, flags)
  if (front)
    say(
      `\n${front.program} keeps port ${front.port}. For the names of projects, let it pass on to the edge:\n\n${indented(snippetFor(front.program, { front, ...ports }))}`,
    )
  sayNames(steps, facts, context)
  if (context.owner) sayWelcome(context.owner.link, facts)
  return { success: true, version: release.version, edge: ports, ...context.owner }
}

async function carryOut(facts: Facts, flags: Flags, release: Release): Promise<Told> {
  if (facts.installed.version === null && flags.verb !== 'uninstall')
    throw new Unfit('Slipway is not installed here: slipway setup install')
  const steps = await planOf(facts, flags, release)
  const done = flags.verb === 'backup' ? await backedUp(steps, flags, release) : await carriedOut(steps, flags, release)
  if (done && flags.verb === 'restore') say('\nProjects that were live: slipway setup bring-back --token-file FILE')
  if (done) return { success: true, version: release.version }
  return { plan: shown(steps) }
}

/** As drills: a file that somebody makes for themselves says nothing about those that are kept here, or at a destination. */
async function backedUp(steps: Step[], flags: Flags, release: Release): Promise<Context | null> {
  const kept = flags.object === null || flags.destination !== null
  if (flags.dryRun || !kept) return carriedOut(steps, flags, release)
  let context: Context | null = null
  await noted('backup', async () => {
    context = await carriedOut(steps, flags, release)
    return { ...context?.made }
  })
  return context
}

async function planOf(facts: Facts, flags: Flags, release: Release): Promise<Step[]> {
  switch (flags.verb) {
    case 'upgrade':
      return planUpgrade(facts, release.version)
    case 'downgrade':
      return planDowngrade(facts, versionHere(facts, flags.object))
    case 'backup':
      return planBackup(facts, flags, flags.object ? resolve(flags.object) : nightly())
    case 'restore':
      await confirmed(flags, 'restore', 'This replaces the database of this installation, its keys and its uploads.')
      return planRestore(facts, file(flags))
    default:
      await confirmRemoval(facts, flags)
      return planUninstall(facts, flags.everything)
  }
}

/** Null where only the plan was asked for. */
async function carriedOut(steps: Step[], flags: Flags, release: Release): Promise<Context | null> {
  say('')
  if (flags.dryRun) {
    showPlan(steps, say)
    say('\nNothing was changed (--dry-run).')
    return null
  }
  const context: Context = { release: release.folder, version: release.version, say, passphrase: passphrase(flags) }
  if (steps.length === 0) showPlan(steps, say)
  await execute(steps, context)
  return context
}

/** Settings by their names: among their values may be passwords, and a plan is kept and passed on. */
const shown = (steps: Step[]) =>
  steps.map(({ what, act }) => ({
    what,
    act: act.do === 'settings' ? { do: act.do, names: Object.keys(act.values) } : act,
  }))

function versionHere({ installed }: Facts, version: string | null): string {
  const here = installed.versions.filter((one) => one !== installed.version)
  if (version !== null && installed.versions.includes(version)) return version
  throw new WrongUse(`downgrade takes a version that is here: ${here.join(', ') || 'there is none'}.`)
}

function file({ object, verb }: Flags): string {
  if (object === null) throw new WrongUse(`${verb} takes the file of a backup.`)
  const path = resolve(object)
  if (!existsSync(path)) throw new WrongUse(`There is no ${path}.`)
  return path
}

const nightly = () =>
  join(PATHS.backups, `nightly-${new Date().toISOString().slice(0, 16).replaceAll(':', '')}.slipway`)

function passphrase({ passphraseFile }: Flags): string | null {
  if (passphraseFile === null) return null
  const text = readText(passphraseFile)?.trim()
  if (!text) throw new WrongUse(`${passphraseFile} cannot be read, or is empty.`)
  return text
}

async function confirmed({ yes, dryRun }: Pick<Flags, 'yes' | 'dryRun'>, verb: string, warning: string): Promise<void> {
  if (yes || dryRun) return
  say(warning)
  if ((await ask(`Type "${verb}" to go on: `, { instead: '--yes' })) !== verb) throw new Unfit('Nothing was changed.')
}

async function confirmRemoval({ system, engine }: Facts, { everything, confirm, dryRun, yes }: Flags): Promise<void> {
  if (dryRun) return
  const kept = 'This removes Slipway. What it deployed keeps running; certificates are not renewed any more.'
  if (!everything) return confirmed({ yes, dryRun }, 'uninstall', kept)
  if (engine.installed && !engine.answers)
    throw new Unfit('Docker does not answer, so what was deployed cannot be removed: see systemctl status docker.')
  say('This removes Slipway with its database, its keys, everything that it deployed, and the data of all projects.')
  const said =
    confirm ??
    (await ask(`Type the name of this machine (${system.host}) to go on: `, { instead: `--confirm ${system.host}` }))
  if (said !== system.host) throw new Unfit(`"${said}" is not the name of this machine. Nothing was changed.`)
}

/** To whoever is new here, and whenever settings were written that they may depend on. */
function sayNames(steps: Step[], facts: Facts, { owner }: Context): void {
  const written = steps.flatMap(({ act }) => (act.do === 'settings' ? [act.values] : []))
  if (written.length === 0 && !owner) return
  const { settings, version } = facts.installed
  say(`\n${projectNames(Object.assign({}, settings, ...written), addressOf(facts))}`)
  if (version !== null) say('\nThe new settings hold. Projects that exist keep the names they have.')
}

const addressOf = ({ system }: Pick<Facts, 'system'>) => system.addresses[0] ?? 'this-machine'

function sayWelcome(link: string, { system }: Facts): void {
  const local = link.startsWith('http://127.0.0.1')
  const address = addressOf({ system })
  say(`\nSlipway is running.${local ? ` From your own machine:\n\n    ssh -L 4600:127.0.0.1:4600 root@${address}` : ''}

Open this link to choose your password (works once, for seven days):

    ${link}

Backups of the platform are sealed with the passphrase in ${PATHS.passphrase}. Keep a copy of it elsewhere.`)
}

const indented = (text: string) => text.replaceAll(/^/gm, '    ')
