import { bringData, bringDatabase, openBackup } from '../backup/bring-back.ts'
import { type Made, makeBackup, passphraseHere } from '../backup/make.ts'
import { sendBackup } from '../backup/send.ts'
import { linkedName, readText } from '../files.ts'
import { PATHS } from '../paths.ts'
import type { Act, Step } from '../plan/step.ts'
import type { Say } from '../say.ts'
import { makeCluster, removeCluster } from './cluster.ts'
import { loadImages, makeSwarm, putBuildx } from './engine.ts'
import { installPackages } from './packages.ts'
import { adoptInstance, makeOwner, makeServer, type Owner } from './platform.ts'
import { removeData, removeProgram, removeServices, removeUser } from './remove.ts'
import { drawPassphrase, writeSettings } from './settings.ts'
import { makeUser } from './user.ts'
import {
  disableAll,
  forgetVersions,
  putFiles,
  putUnits,
  removeUnits,
  restartVersion,
  startVersion,
  stopAll,
  stopVersion,
  switchTo,
} from './versions.ts'

export type Context = {
  /** The folder of the release that this program is part of, and its version. */
  release: string
  version: string
  say: Say
  /** Of a backup that is brought back; null: this installation's own. */
  passphrase: string | null
  owner?: Owner
  /** The file of settings before it was written; null: there was none. */
  settingsBefore?: string | null
  /** The backup that was made. */
  made?: Made
  opened?: Awaited<ReturnType<typeof openBackup>>
}

/** One after the other. Each can be repeated: whatever ended in the middle is gone on with by running the same again. */
export async function execute(steps: Step[], context: Context): Promise<void> {
  try {
    for (const { what, act } of steps) {
      const began = performance.now()
      const said = await carryOut(act, context)
      const seconds = (performance.now() - began) / 1000
      context.say(`  ✓ ${what}  ${seconds.toFixed(1)} s${typeof said === 'string' ? `  (${said})` : ''}`)
    }
  } finally {
    context.opened?.remove()
  }
}

type Acts = { [Name in Act['do']]: (act: Extract<Act, { do: Name }>, context: Context) => unknown }

/** How each is carried out; what one of them answers as text is shown beside it. */
const ACTS: Acts = {
  packages: ({ names, noMainCluster }) => installPackages(names, noMainCluster),
  user: () => makeUser(),
  cluster: ({ anew }) => makeCluster(anew),
  swarm: ({ address, pool }) => makeSwarm(address, pool),
  buildx: ({ from }) => putBuildx(from),
  images: ({ from }) => loadImages(from),
  files: ({ version }, { release }) => putFiles(release, version),
  settings({ values }, context) {
    context.settingsBefore = readText(PATHS.settings)
    return writeSettings(values)
  },
  passphrase: () => drawPassphrase(),
  units: (_, { release }) => putUnits(release),
  start: ({ version, beside }) => startVersion(version, beside),
  restart: ({ version }, { settingsBefore }) => restartVersion(version, settingsBefore ?? null),
  async owner({ email, organization }, context) {
    context.owner = await makeOwner(context.version, email, organization)
  },
  server: (_, { owner }) => (owner ? makeServer(owner.token) : 'it has one, or gets it by hand'),
  switch: ({ version, from }) => switchTo(version, from),
  stop: ({ version }) => stopVersion(version),
  async end() {
    await stopAll()
    await disableAll()
  },
  'forget-versions': ({ keep }) => forgetVersions(keep),
  async backup({ file, keep }, context) {
    context.made = await makeBackup(file, { version: linkedName(PATHS.current) ?? context.version, keep })
    return `${(context.made.bytes / 1e6).toFixed(1)} MB, read back`
  },
  async send({ destination }, context) {
    if (!context.made) throw new Error('There is no backup to send.')
    const { name, warning } = await sendBackup(
      context.made.file,
      destination,
      linkedName(PATHS.current) ?? context.version,
    )
    context.made = { ...context.made, destination, name }
    if (warning) context.say(`  ! ${warning}`)
    return `${name}, read back`
  },
  'read-back': ({ file }, context) => readBack(file, context),
  'restore-database': async ({ file }, context) =>
    bringDatabase((await opened(file, context)).folder, { stop: stopAll }),
  'restore-data': async ({ file }, context) => bringData((await opened(file, context)).folder),
  adopt: (_, { version }) => adoptInstance(linkedName(PATHS.current) ?? version),
  'remove-services': ({ instance }) => removeServices(instance),
  'remove-units': () => removeUnits(),
  'remove-program': () => removeProgram(),
  'remove-data': () => removeData(),
  'remove-cluster': () => removeCluster(),
  'remove-user': () => removeUser(),
}

/** The table has the right one for each; which of them it is, only running tells. */
const carryOut = (act: Act, context: Context): unknown => ACTS[act.do](act as never, context)

async function readBack(file: string, context: Context): Promise<string> {
  const { manifest } = await opened(file, context)
  return `of ${manifest.at}, Slipway ${manifest.slipway}`
}

async function opened(file: string, context: Context) {
  context.opened ??= await openBackup(file, context.passphrase ?? passphraseHere())
  return context.opened
}
